// What the loop in Kotlin uses of kotlinx.serialization, to be compiled against.
package kotlinx.serialization.json

public sealed class JsonElement

public class JsonArray(content: List<JsonElement>) : JsonElement(), List<JsonElement> by content

public class JsonObject(content: Map<String, JsonElement>) : JsonElement(), Map<String, JsonElement> by content

public sealed class JsonPrimitive : JsonElement() {
    public abstract val isString: Boolean
}

public data object JsonNull : JsonPrimitive() {
    override val isString: Boolean = false
}

public val JsonElement.jsonArray: JsonArray get() = this as JsonArray
public val JsonElement.jsonObject: JsonObject get() = this as JsonObject
public val JsonElement.jsonPrimitive: JsonPrimitive get() = this as JsonPrimitive
public val JsonPrimitive.contentOrNull: String? get() = null

public object Json {
    public fun parseToJsonElement(text: String): JsonElement = throw UnsupportedOperationException(text)
}
