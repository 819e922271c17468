//! Prints the table, then what it says of every message on standard input, then the message IDs that
//! it derives.

use retry::{derive_message_id, find, resend, retry_class, Json, Kind, METHODS};
use std::io::{stdin, Read};
use std::str::Lines;

/// A JSON value with the members that `serde_json::Value` has.
enum Value {
    Null,
    Other,
    String(String),
    Object(Vec<(String, Value)>),
}

impl Json for Value {
    fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    fn as_str(&self) -> Option<&str> {
        match self {
            Self::String(text) => Some(text),
            _ => None,
        }
    }

    fn names(&self) -> Option<Vec<&str>> {
        match self {
            Self::Object(members) => Some(members.iter().map(|(name, _)| name.as_str()).collect()),
            _ => None,
        }
    }

    fn get(&self, name: &str) -> Option<&Self> {
        match self {
            Self::Object(members) => {
                let found = members.iter().find(|(each, _)| each == name);
                found.map(|(_, value)| value)
            }
            _ => None,
        }
    }
}

fn main() {
    for row in METHODS {
        record(&[
            row.name,
            row.kind.as_str(),
            row.side.as_str(),
            row.stability.as_str(),
            row.retry_class.as_str(),
            row.params,
            row.result.unwrap_or(""),
            row.key.unwrap_or(""),
            row.carries.unwrap_or(""),
            &row.undoes.join(" "),
            &row.about.join(" "),
            row.page.unwrap_or(""),
            row.summary,
            row.resend,
            retry_class(row.name, Some(row.kind)).map_or("", |class| class.as_str()),
            find(row.name, None).map_or("", |found| found.kind.as_str()),
        ]);
    }
    let mut input = String::new();
    stdin().read_to_string(&mut input).expect("UTF-8");
    let mut lines = input.lines();
    let count = number(lines.next().expect("a count"));
    for _ in 0..count {
        let method = text(lines.next().expect("a method"));
        let kind = match lines.next().expect("a kind") {
            "request" => Some(Kind::Request),
            "notification" => Some(Kind::Notification),
            _ => None,
        };
        let version = lines.next().expect("a version").parse().ok();
        let params = value(&mut lines);
        let said = match params {
            Value::Null => resend(&method, &(), kind, version),
            params => resend(&method, &params, kind, version),
        };
        record(&[
            said.answer.as_str(),
            said.reason.as_str(),
            said.method.map_or("", |row| row.name),
            said.method.map_or("", |row| row.retry_class.as_str()),
            &said.why,
        ]);
        assert_eq!(said.is_allowed(), said.answer.to_string() != "not_at_all");
    }
    let count = number(lines.next().expect("a count"));
    for _ in 0..count {
        let session_id = text(lines.next().expect("a session ID"));
        let key = text(lines.next().expect("a key"));
        record(&[&derive_message_id(&session_id, &key)]);
    }
}

fn record(fields: &[&str]) {
    print!("{}\x1e", fields.join("\x1f"));
}

fn value(lines: &mut Lines<'_>) -> Value {
    let line = lines.next().expect("a value");
    match &line[..1] {
        "n" => Value::Null,
        "s" => Value::String(text(line)),
        "a" => {
            for _ in 0..number(&line[1..]) {
                value(lines);
            }
            Value::Other
        }
        "m" => {
            let names = (0..number(&line[1..])).map(|_| {
                let name = text(lines.next().expect("a name"));
                (name, value(lines))
            });
            Value::Object(names.collect())
        }
        _ => Value::Other,
    }
}

fn number(digits: &str) -> usize {
    digits.parse().expect("a number")
}

fn text(line: &str) -> String {
    line[1..]
        .split_terminator(',')
        .map(|code| u32::from_str_radix(code, 16).expect("a code point"))
        .map(|code| char::from_u32(code).expect("no surrogate"))
        .collect()
}
