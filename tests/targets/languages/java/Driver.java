package driver.v2;

import com.agentclientprotocol.sdk.spec.v2.AcpRetry;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Prints the table, then what it says of every message on standard input, then the message IDs that it derives, empty
 * where it refuses to.
 */
final class Driver {

	private static final PrintStream OUT = new PrintStream(System.out, false, StandardCharsets.UTF_8);

	private static final BufferedReader IN = new BufferedReader(
			new InputStreamReader(System.in, StandardCharsets.UTF_8));

	private Driver() {
	}

	public static void main(String[] arguments) throws IOException {
		for (AcpRetry.Method row : AcpRetry.METHODS) {
			record(row.name(), row.kind().value(), row.side().value(), row.stability().value(),
					row.retryClass().value(), row.params(), row.result(), row.key(), row.carries(), String.join(" ", row.undoes()),
					String.join(" ", row.about()), row.page(),
					row.summary(), row.resend(),
					AcpRetry.retryClass(row.name(), row.kind()).map(AcpRetry.RetryClass::value).orElse(null),
					AcpRetry.find(row.name()).map(found -> found.kind().value()).orElse(null));
		}
		int count = Integer.parseInt(IN.readLine());
		for (int i = 0; i < count; i++) {
			String method = text(IN.readLine());
			AcpRetry.Kind kind = kind(IN.readLine());
			String version = IN.readLine();
			@SuppressWarnings("unchecked")
			Map<String, Object> params = (Map<String, Object>) value();
			AcpRetry.Resend said = !version.isEmpty()
					? AcpRetry.resend(method, params, kind, Integer.valueOf(version))
					: kind == null ? AcpRetry.resend(method, params) : AcpRetry.resend(method, params, kind);
			if (said.isAllowed() == said.answer().value().equals("not_at_all")) {
				throw new AssertionError(said);
			}
			AcpRetry.Method row = said.method();
			record(said.answer().value(), said.reason().value(), row == null ? null : row.name(),
					row == null ? null : row.retryClass().value(), said.why());
		}
		int pairs = Integer.parseInt(IN.readLine());
		for (int i = 0; i < pairs; i++) {
			record(derived(text(IN.readLine()), text(IN.readLine())));
		}
		OUT.flush();
	}

	private static String derived(String sessionId, String key) {
		try {
			return AcpRetry.deriveMessageId(sessionId, key).toString();
		}
		catch (IllegalArgumentException ex) {
			return null;
		}
	}

	private static void record(String... fields) {
		List<String> shown = new ArrayList<>();
		for (String field : fields) {
			shown.add(field == null ? "" : field);
		}
		OUT.print(String.join("\u001f", shown) + "\u001e");
	}

	private static AcpRetry.Kind kind(String name) {
		for (AcpRetry.Kind kind : AcpRetry.Kind.values()) {
			if (kind.value().equals(name)) {
				return kind;
			}
		}
		return null;
	}

	private static Object value() throws IOException {
		String line = IN.readLine();
		switch (line.charAt(0)) {
			case 'n':
				return null;
			case 's':
				return text(line);
			case 'a':
				List<Object> items = new ArrayList<>();
				for (int i = Integer.parseInt(line.substring(1)); i > 0; i--) {
					items.add(value());
				}
				return items;
			case 'm':
				Map<String, Object> members = new HashMap<>();
				for (int i = Integer.parseInt(line.substring(1)); i > 0; i--) {
					String name = text(IN.readLine());
					members.put(name, value());
				}
				return members;
			default:
				return true;
		}
	}

	private static String text(String line) {
		StringBuilder text = new StringBuilder();
		for (String code : line.substring(1).split(",")) {
			if (!code.isEmpty()) {
				text.appendCodePoint(Integer.parseInt(code, 16));
			}
		}
		return text.toString();
	}

}
