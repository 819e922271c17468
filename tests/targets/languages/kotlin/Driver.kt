package driver.v2

import com.agentclientprotocol.model.v2.retry.Kind
import com.agentclientprotocol.model.v2.retry.METHODS
import com.agentclientprotocol.model.v2.retry.deriveMessageId
import com.agentclientprotocol.model.v2.retry.find
import com.agentclientprotocol.model.v2.retry.resend
import com.agentclientprotocol.model.v2.retry.retryClass
import java.io.PrintStream

/** A value of a JSON library that has types of its own for null and text. */
private class Leaf(val text: String?)

private val out = PrintStream(System.out, false, "UTF-8")
private val lines = System.`in`.bufferedReader().lineSequence().iterator()

/**
 * Prints the table, then what it says of every message on standard input, then the message IDs that it derives, empty
 * where it refuses to.
 */
public fun main() {
    for (row in METHODS) {
        record(
            row.name, row.kind.value, row.side.value, row.stability.value, row.retryClass.value, row.params,
            row.result, row.key, row.carries, row.undoes.joinToString(" "), row.about.joinToString(" "), row.page, row.summary, row.resend,
            retryClass(row.name, row.kind)?.value, find(row.name)?.kind?.value,
        )
    }
    repeat(lines.next().toInt()) {
        val method = text(lines.next())
        val kind = lines.next().let { name -> Kind.values().find { it.value == name } }
        val version = lines.next().toIntOrNull()
        @Suppress("UNCHECKED_CAST")
        val params = value().takeUnless { it is Leaf } as Map<String, Any?>?
        val said = resend(method, params, kind, version) { if (it is Leaf) it.text else it }
        check(said.isAllowed == (said.answer.value != "not_at_all"))
        record(said.answer.value, said.reason.value, said.method?.name, said.method?.retryClass?.value, said.why)
    }
    repeat(lines.next().toInt()) {
        val sessionId = text(lines.next())
        val key = text(lines.next())
        record(
            try {
                deriveMessageId(sessionId, key)
            } catch (_: CharacterCodingException) {
                null
            }
        )
    }
    out.flush()
}

private fun record(vararg fields: String?) {
    out.print(fields.joinToString("\u001f", postfix = "\u001e") { it.orEmpty() })
}

private fun value(): Any {
    val line = lines.next()
    return when (line.first()) {
        'n' -> Leaf(null)
        's' -> Leaf(text(line))
        'a' -> List(line.drop(1).toInt()) { value() }
        'm' -> (1..line.drop(1).toInt()).associate { text(lines.next()) to value() }
        else -> true
    }
}

private fun text(line: String): String = buildString {
    line.drop(1).split(',').filter { it.isNotEmpty() }.forEach { appendCodePoint(it.toInt(16)) }
}
