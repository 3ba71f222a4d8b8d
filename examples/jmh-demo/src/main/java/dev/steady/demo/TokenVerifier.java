package dev.steady.demo;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.HashMap;
import java.util.Map;

/** Signs requests with a key for each tenant; deriving a key is slow, so keys are kept. */
public final class TokenVerifier {

    private static final int ROUNDS = 2000;

    private final MessageDigest digest = Fingerprint.sha256();
    private final Map<Integer, byte[]> keys = new HashMap<>();

    /** The first four bytes of SHA-256(key, request). */
    public int sign(int tenant, byte[] request) {
        byte[] key = keys.get(tenant);
        if (key == null) {
            key = derive(tenant);
            keys.put(tenant, key);
        }
        digest.update(key);
        byte[] tag = digest.digest(request);
        return tag[0] << 24 | (tag[1] & 0xff) << 16 | (tag[2] & 0xff) << 8 | (tag[3] & 0xff);
    }

    private byte[] derive(int tenant) {
        byte[] key = ("tenant-" + tenant).getBytes(StandardCharsets.UTF_8);
        for (int round = 0; round < ROUNDS; round++) {
            key = digest.digest(key);
        }
        return key;
    }
}
