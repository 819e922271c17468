//! What a key is besides a text of 1 to 255 code points.

use crate::retry::{IdempotencyKey, InvalidIdempotencyKey};

#[test]
fn a_generated_key_is_a_uuid_of_version_4() {
    let key = IdempotencyKey::generate([0xff; 16]);
    assert_eq!(key.as_str(), "ffffffff-ffff-4fff-bfff-ffffffffffff");
    let key = IdempotencyKey::generate([0; 16]);
    assert_eq!(key.as_str(), "00000000-0000-4000-8000-000000000000");
}

#[test]
fn no_key_is_shown() {
    let key: IdempotencyKey = "secret".parse().expect("a key");
    assert_eq!(format!("{key:?}"), "IdempotencyKey(6)");
    let long = "secret".repeat(50);
    assert_eq!(IdempotencyKey::MAX_LENGTH, 255);
    let error: InvalidIdempotencyKey = IdempotencyKey::try_from(long).expect_err("too long");
    assert_eq!(error.to_string(), "an idempotency key has 1 to 255 characters, not 300");
    for json in ["123456", "1.5", "-7", "true", "[123456]", "{\"a\":123456}"] {
        let error = serde_json::from_str::<IdempotencyKey>(json).expect_err(json);
        assert!(!error.to_string().contains("123456"), "{error}");
    }
}
