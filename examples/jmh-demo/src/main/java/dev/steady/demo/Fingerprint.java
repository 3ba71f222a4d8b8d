package dev.steady.demo;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.Map;

/** A short, URL-safe name for the content of a document. */
public final class Fingerprint {

    private Fingerprint() {
    }

    /** SHA-256 over the values in the map's order, as unpadded Base64. */
    public static String of(Map<String, String> document) {
        MessageDigest digest = sha256();
        for (Map.Entry<String, String> field : document.entrySet()) {
            digest.update(field.getValue().getBytes(StandardCharsets.UTF_8));
            digest.update((byte) 0);
        }
        return Base64.getUrlEncoder().withoutPadding().encodeToString(digest.digest());
    }

    static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }
}
