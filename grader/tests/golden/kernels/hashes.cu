// SPDX-License-Identifier: Apache-2.0
// Hashes, checksums, ciphers, generators of random numbers.
#include "golden.cuh"

__constant__ u32 sha256_k[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1,
    0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3,
    0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786,
    0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147,
    0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13,
    0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
    0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a,
    0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
    0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

INLINE u32 right(u32 x, u32 s) {
    return __funnelshift_r(x, x, s);
}
INLINE u32 left(u32 x, u32 s) {
    return __funnelshift_l(x, x, s);
}

// golden hash_sha256 words=8 block=64
GOLDEN(hash_sha256) {
    Io io(in, out, n);
    u32 w[64], h[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
        0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19}, s[8];
    for (u32 k = 0; k < 16; k++)
        w[k] = io.word(k);
    for (u32 k = 16; k < 64; k++) {
        u32 a = w[k - 15], b = w[k - 2];
        w[k] = w[k - 16] + w[k - 7] + (right(a, 7) ^ right(a, 18) ^ a >> 3) +
               (right(b, 17) ^ right(b, 19) ^ b >> 10);
    }
    for (u32 k = 0; k < 8; k++)
        s[k] = h[k];
    for (u32 k = 0; k < 64; k++) {
        u32 t1 = s[7] + (right(s[4], 6) ^ right(s[4], 11) ^ right(s[4], 25)) +
                 ((s[4] & s[5]) ^ (~s[4] & s[6])) + sha256_k[k] + w[k];
        u32 t2 = (right(s[0], 2) ^ right(s[0], 13) ^ right(s[0], 22)) +
                 ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
        for (u32 j = 7; j; j--)
            s[j] = s[j - 1];
        s[4] += t1;
        s[0] = t1 + t2;
    }
    for (u32 k = 0; k < 8; k++)
        io.put(h[k] + s[k]);
}

// golden hash_md5 words=4 block=64
GOLDEN(hash_md5) {
    Io io(in, out, n);
    const u8 shifts[16] = {7, 12, 17, 22, 5, 9, 14, 20, 4, 11, 16, 23, 6, 10,
        15, 21};
    u32 m[16], a = 0x67452301, b = 0xefcdab89, c = 0x98badcfe, d = 0x10325476;
    for (u32 k = 0; k < 16; k++)
        m[k] = io.word(k + 3);
    for (u32 k = 0; k < 64; k++) {
        u32 f, g;
        switch (k / 16) {
        case 0: f = (b & c) | (~b & d), g = k; break;
        case 1: f = (d & b) | (~d & c), g = (5 * k + 1) & 15; break;
        case 2: f = b ^ c ^ d, g = (3 * k + 5) & 15; break;
        default: f = c ^ (b | ~d), g = (7 * k) & 15; break;
        }
        // The constants are a sine's digits; here a generator's.
        f += a + (0x9E3779B9 * (k + 1) ^ k << 20) + m[g];
        a = d;
        d = c;
        c = b;
        b += left(f, shifts[k / 16 * 4 + k % 4]);
    }
    io.put(a);
    io.put(b);
    io.put(c);
    io.put(d);
}

// golden hash_crc words=3
GOLDEN(hash_crc) {
    Io io(in, out, n);
    u32 crc = ~0u;
    for (u32 k = 0; k < 8; k++) {
        crc ^= io.word(k);
        for (u32 j = 0; j < 32; j++)
            crc = crc >> 1 ^ (crc & 1 ? 0xEDB88320 : 0);
    }
    io.put(~crc);
    __shared__ u32 table[256];
    for (u32 k = threadIdx.x; k < 256; k += 128) {
        u32 v = k;
        for (u32 j = 0; j < 8; j++)
            v = v >> 1 ^ (v & 1 ? 0xEDB88320 : 0);
        table[k] = v;
    }
    __syncthreads();
    u32 other = ~0u;
    for (u32 k = 0; k < 32; k++)
        other = other >> 8 ^ table[(other ^ io.word(k / 4) >> (k % 4 * 8)) & 255];
    io.put(~other);
    u16 ccitt = 0xFFFF;
    for (u32 k = 0; k < 8; k++) {
        ccitt ^= (u16)(io.word(k) << 8);
        for (u32 j = 0; j < 8; j++)
            ccitt = (u16)(ccitt & 0x8000 ? ccitt << 1 ^ 0x1021 : ccitt << 1);
    }
    io.put(ccitt);
}

// golden hash_fnv_murmur words=5
GOLDEN(hash_fnv_murmur) {
    Io io(in, out, n);
    u64 fnv = 0xCBF29CE484222325;
    u32 murmur = io.word(20), adler_a = 1, adler_b = 0;
    for (u32 k = 0; k < 10; k++) {
        u32 w = io.word(k);
        for (u32 j = 0; j < 4; j++) {
            u8 byte = (u8)(w >> (8 * j));
            fnv = (fnv ^ byte) * 0x100000001B3;
            adler_a = (adler_a + byte) % 65521;
            adler_b = (adler_b + adler_a) % 65521;
        }
        w *= 0xCC9E2D51;
        w = left(w, 15) * 0x1B873593;
        murmur = left(murmur ^ w, 13) * 5 + 0xE6546B64;
    }
    murmur ^= murmur >> 16;
    murmur *= 0x85EBCA6B;
    murmur ^= murmur >> 13;
    murmur *= 0xC2B2AE35;
    io.put64(fnv);
    io.put(murmur ^ murmur >> 16);
    io.put(adler_b << 16 | adler_a);
    u64 z = io.word64(3) + 0x9E3779B97F4A7C15;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9;
    z = (z ^ z >> 27) * 0x94D049BB133111EB;
    io.put((u32)(z ^ z >> 31));
}

// golden hash_siphash words=2
GOLDEN(hash_siphash) {
    Io io(in, out, n);
    u64 k0 = io.word64(0), k1 = io.word64(1);
    u64 v0 = k0 ^ 0x736f6d6570736575, v1 = k1 ^ 0x646f72616e646f6d;
    u64 v2 = k0 ^ 0x6c7967656e657261, v3 = k1 ^ 0x7465646279746573;
    auto turn = [](u64 x, int s) { return x << s | x >> (64 - s); };
    auto round = [&]() {
        v0 += v1, v1 = turn(v1, 13) ^ v0, v0 = turn(v0, 32);
        v2 += v3, v3 = turn(v3, 16) ^ v2;
        v0 += v3, v3 = turn(v3, 21) ^ v0;
        v2 += v1, v1 = turn(v1, 17) ^ v2, v2 = turn(v2, 32);
    };
    for (u32 k = 0; k < 5; k++) {
        u64 m = io.word64(k + 2);
        v3 ^= m;
        round();
        round();
        v0 ^= m;
    }
    v2 ^= 0xFF;
    for (u32 k = 0; k < 4; k++)
        round();
    io.put64(v0 ^ v1 ^ v2 ^ v3);
}

// golden cipher_chacha words=16 block=64
GOLDEN(cipher_chacha) {
    Io io(in, out, n);
    u32 s[16] = {0x61707865, 0x3320646e, 0x79622d32, 0x6b206574}, x[16];
    for (u32 k = 4; k < 16; k++)
        s[k] = io.word(k);
    for (u32 k = 0; k < 16; k++)
        x[k] = s[k];
    auto quarter = [&](u32 a, u32 b, u32 c, u32 d) {
        x[a] += x[b], x[d] = left(x[d] ^ x[a], 16);
        x[c] += x[d], x[b] = left(x[b] ^ x[c], 12);
        x[a] += x[b], x[d] = left(x[d] ^ x[a], 8);
        x[c] += x[d], x[b] = left(x[b] ^ x[c], 7);
    };
#pragma unroll 1
    for (u32 k = 0; k < 10; k++) {
        for (u32 j = 0; j < 4; j++)
            quarter(j, j + 4, j + 8, j + 12);
        for (u32 j = 0; j < 4; j++)
            quarter(j, 4 + (j + 1) % 4, 8 + (j + 2) % 4, 12 + (j + 3) % 4);
    }
    for (u32 k = 0; k < 16; k++)
        io.put(x[k] + s[k]);
}

// golden cipher_tea words=2
GOLDEN(cipher_tea) {
    Io io(in, out, n);
    u32 a = io.word(0), b = io.word(1), sum = 0;
#pragma unroll 1
    for (u32 k = 0; k < 32; k++) {
        a += ((b << 4 ^ b >> 5) + b) ^ (sum + io.word(2 + (sum & 3)));
        sum += 0x9E3779B9;
        b += ((a << 4 ^ a >> 5) + a) ^ (sum + io.word(2 + (sum >> 11 & 3)));
    }
    io.put(a);
    io.put(b);
}

// golden rng_xorshift words=6
GOLDEN(rng_xorshift) {
    Io io(in, out, n);
    u32 x = io.word(0) | 1;
    u64 s0 = io.word64(1), s1 = io.word64(2) | 1, sum = 0;
    for (u32 k = 0; k < 50; k++) {
        x ^= x << 13;
        x ^= x >> 17;
        x ^= x << 5;
        u64 t = s0;
        s0 = s1;
        t ^= t << 23;
        s1 = t ^ s1 ^ t >> 18 ^ s1 >> 5;
        sum += s0 + s1;
    }
    io.put(x);
    io.put64(sum);
    u64 state = io.word64(3);
    for (u32 k = 0; k < 3; k++) {
        state = state * 6364136223846793005 + 1442695040888963407;
        u32 mixed = (u32)((state >> 18 ^ state) >> 27), turn = (u32)(state >> 59);
        io.put(mixed >> turn | mixed << (-turn & 31));
    }
}

// golden rng_philox words=4
GOLDEN(rng_philox) {
    Io io(in, out, n);
    u32 c[4] = {io.word(0), io.i, io.word(1), 7}, k0 = io.word(2), k1 = io.word(3);
    for (u32 k = 0; k < 10; k++) {
        u64 a = (u64)c[0] * 0xD2511F53, b = (u64)c[2] * 0xCD9E8D57;
        u32 next[4] = {(u32)(b >> 32) ^ c[1] ^ k0, (u32)b,
            (u32)(a >> 32) ^ c[3] ^ k1, (u32)a};
        for (u32 j = 0; j < 4; j++)
            c[j] = next[j];
        k0 += 0x9E3779B9;
        k1 += 0xBB67AE85;
    }
    for (u32 k = 0; k < 4; k++)
        io.put(c[k]);
}

// golden rng_mersenne words=2 block=32
GOLDEN(rng_mersenne) {
    Io io(in, out, n);
    u32 mt[624];
    mt[0] = io.word(0);
    for (u32 k = 1; k < 624; k++)
        mt[k] = 1812433253 * (mt[k - 1] ^ mt[k - 1] >> 30) + k;
    for (u32 k = 0; k < 624; k++) {
        u32 y = (mt[k] & 0x80000000) | (mt[(k + 1) % 624] & 0x7FFFFFFF);
        mt[k] = mt[(k + 397) % 624] ^ y >> 1 ^ (y & 1 ? 0x9908B0DF : 0);
    }
    for (u32 k = 0; k < 2; k++) {
        u32 y = mt[(io.i * 17 + k) % 624];
        y ^= y >> 11;
        y ^= y << 7 & 0x9D2C5680;
        y ^= y << 15 & 0xEFC60000;
        io.put(y ^ y >> 18);
    }
}
