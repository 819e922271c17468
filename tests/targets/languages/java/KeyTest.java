package com.agentclientprotocol.sdk.spec.v2;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.agentclientprotocol.sdk.spec.v2.AcpRetry.IdempotencyKey;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** What a key is besides a text of 1 to 255 code points. */
class KeyTest {

    record Params(IdempotencyKey idempotencyKey) {
    }

    @Test
    void aGeneratedKeyIsARandomUuid() {
        IdempotencyKey key = IdempotencyKey.generate();
        assertEquals(4, UUID.fromString(key.value()).version());
        assertNotEquals(key, IdempotencyKey.generate());
        assertEquals(key, new IdempotencyKey(key.value()));
    }

    @Test
    void noKeyIsShown() throws Exception {
        ObjectMapper mapper = new ObjectMapper().registerModule(new AcpRetryModule());
        Params params = mapper.readValue("{\"idempotencyKey\":\"secret\"}", Params.class);
        assertEquals("Params[idempotencyKey=IdempotencyKey[length=6]]", params.toString());
        for (String text : new String[] { "\"" + "secret".repeat(50) + "\"", "[\"secret\"]", "{\"a\":\"secret\"}" }) {
            String json = "{\"idempotencyKey\":" + text + "}";
            Exception error = assertThrows(JsonMappingException.class, () -> mapper.readValue(json, Params.class));
            assertFalse(error.getMessage().contains("secret"), error.getMessage());
        }
    }

    @Test
    void withoutTheModuleNothingIsRead() {
        ObjectMapper mapper = new ObjectMapper();
        assertThrows(JsonMappingException.class, () -> mapper.readValue("{\"idempotencyKey\":5}", Params.class));
        assertEquals(255, IdempotencyKey.MAX_LENGTH);
    }

}
