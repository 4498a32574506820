// SPDX-License-Identifier: Apache-2.0
// Bytes and trees: searching, parsing, packing and unpacking, distances, heaps,
// permutations, backtracking.
#include "golden.cuh"

__device__ const char story[] =
    "the block that asks is given what no block has taken, and the block that "
    "is told no goes home; the clock in the block counts what the blocks take";

// golden txt_search words=3
GOLDEN(txt_search) {
    Io io(in, out, n);
    char word[6] = "block";
    u32 kind = io.word(0) % 3, found = 0, last = 0;
    if (kind == 1)
        word[1] = 'o', word[2] = 'c', word[0] = 'l';
    u32 length = kind == 1 ? 3 : kind == 2 ? 2 : 5;
    for (u32 k = 0; k + length < sizeof story; k++) {
        u32 j = 0;
        while (j < length && story[k + j] == word[j])
            j++;
        if (j == length)
            found++, last = k;
    }
    io.put(found);
    io.put(last);
    u32 vowels = 0;
    for (const char *p = story + io.i % 30; *p; p++)
        vowels += *p == 'a' || *p == 'e' || *p == 'i' || *p == 'o';
    io.put(vowels);
}

// golden txt_numbers words=4
GOLDEN(txt_numbers) {
    Io io(in, out, n);
    char text[24];
    u32 length = 0;
    s64 value = (s64)io.word64(0) >> (io.i & 31);
    u64 rest = value < 0 ? 0 - (u64)value : (u64)value;
    do
        text[length++] = (char)('0' + rest % 10);
    while (rest /= 10);
    if (value < 0)
        text[length++] = '-';
    for (u32 k = 0; k < length / 2; k++) {
        char t = text[k];
        text[k] = text[length - 1 - k];
        text[length - 1 - k] = t;
    }
    u64 back = 0, sum = 0;
    for (u32 k = 0; k < length; k++) {
        sum = sum * 31 + (u8)text[k];
        if (text[k] != '-')
            back = back * 10 + (u64)(text[k] - '0');
    }
    io.put(length);
    io.put((u32)sum);
    io.put(back == (value < 0 ? 0 - (u64)value : (u64)value));
    u32 hex = io.word(3), out_hex = 0;
    for (u32 k = 0; k < 8; k++)
        out_hex = out_hex * 7 + (u8)"0123456789abcdef"[hex >> (28 - 4 * k) & 15];
    io.put(out_hex);
}

// Lempel and Ziv: pairs of a distance and a length, or a byte.
// golden txt_unpack words=3 block=64
GOLDEN(txt_unpack) {
    Io io(in, out, n);
    u8 window[200];
    u32 at = 0;
    for (u32 k = 0; at < 180; k++) {
        u32 w = io.word(k);
        if ((w & 3) == 0 && at) {
            u32 back = (w >> 8) % (at < 32 ? at : 32) + 1, length = (w >> 16) % 9 + 2;
            if (back > at)
                back = at;
            for (u32 j = 0; j < length; j++, at++)
                window[at] = window[at - back];
        } else {
            window[at++] = (u8)(w >> 4);
        }
    }
    u32 a = 1, b = 0;
    for (u32 k = 0; k < at; k++) {
        a = (a + window[k]) % 65521;
        b = (b + a) % 65521;
    }
    io.put(at);
    io.put(b << 16 | a);
    io.put(window[io.word(1) % 180]);
}

// golden txt_run_lengths words=3
GOLDEN(txt_run_lengths) {
    Io io(in, out, n);
    u8 packed[64];
    u32 used = 0, bits = io.word(0), run = 0;
    bool last = false;
    for (u32 k = 0; k < 32; k++) {
        bool bit = bits >> k & 1;
        if (bit != last) {
            packed[used++] = (u8)run;
            run = 0;
            last = bit;
        }
        run++;
    }
    packed[used++] = (u8)run;
    u32 back = 0, at = 0;
    for (u32 k = 0; k < used; k++) {
        if (k & 1)
            back |= (packed[k] == 32 ? ~0u : (1u << packed[k]) - 1) << (at & 31);
        at += packed[k];
    }
    io.put(used);
    io.put(back == bits);
    io.put(packed[used / 2]);
}

// golden txt_base64 words=2
GOLDEN(txt_base64) {
    Io io(in, out, n);
    u32 sum = 0, lines = 0;
    for (u32 k = 0; k < 8; k++) {
        u32 w = io.word(k) & 0xFFFFFF;
        for (u32 j = 0; j < 4; j++) {
            u32 six = w >> (18 - 6 * j) & 63;
            u32 c = six < 26 ? 'A' + six : six < 52 ? 'a' + six - 26
                : six < 62 ? '0' + six - 52 : six == 62 ? '+' : '/';
            sum = sum * 131 + c;
            lines += c == 'A';
        }
    }
    io.put(sum);
    io.put(lines);
}

// golden txt_utf8 words=2
GOLDEN(txt_utf8) {
    Io io(in, out, n);
    u8 bytes[4];
    u32 c = io.word(0) & 0x1FFFFF, count;
    if (c < 0x80)
        bytes[0] = (u8)c, count = 1;
    else if (c < 0x800)
        bytes[0] = (u8)(0xC0 | c >> 6), bytes[1] = (u8)(0x80 | (c & 63)), count = 2;
    else if (c < 0x10000)
        bytes[0] = (u8)(0xE0 | c >> 12), bytes[1] = (u8)(0x80 | (c >> 6 & 63)),
        bytes[2] = (u8)(0x80 | (c & 63)), count = 3;
    else
        bytes[0] = (u8)(0xF0 | c >> 18), bytes[1] = (u8)(0x80 | (c >> 12 & 63)),
        bytes[2] = (u8)(0x80 | (c >> 6 & 63)), bytes[3] = (u8)(0x80 | (c & 63)),
        count = 4;
    u32 back = count == 1 ? bytes[0] : bytes[0] & (0xFFu >> (count + 1));
    for (u32 k = 1; k < count; k++)
        back = back << 6 | (bytes[k] & 63);
    io.put(back);
    io.put(count + bytes[count - 1] * 16);
}

// golden txt_edit_distance words=1
GOLDEN(txt_edit_distance) {
    Io io(in, out, n);
    u8 row[17];
    for (u32 k = 0; k < 17; k++)
        row[k] = (u8)k;
    for (u32 i = 0; i < 16; i++) {
        u8 corner = row[0];
        row[0] = (u8)(i + 1);
        for (u32 j = 0; j < 16; j++) {
            u8 cost = (u8)(corner + ((io.word(i) & 3) != (io.word(j + 20) & 3)));
            corner = row[j + 1];
            u8 step = (u8)(min(row[j], row[j + 1]) + 1);
            row[j + 1] = min(cost, step);
        }
    }
    io.put(row[16]);
}

// golden txt_heap words=2
GOLDEN(txt_heap) {
    Io io(in, out, n);
    u32 heap[24], count = 0, sum = 0;
    for (u32 k = 0; k < 24; k++) {
        u32 at = count++;
        heap[at] = io.word(k);
        while (at && heap[(at - 1) / 2] > heap[at]) {
            u32 t = heap[at];
            heap[at] = heap[(at - 1) / 2];
            heap[(at - 1) / 2] = t;
            at = (at - 1) / 2;
        }
    }
    u32 last = 0, sorted = 1;
    while (count) {
        u32 least = heap[0], at = 0;
        sorted &= least >= last;
        last = least;
        sum = sum * 3 + least;
        heap[0] = heap[--count];
        for (;;) {
            u32 child = 2 * at + 1;
            if (child >= count)
                break;
            if (child + 1 < count && heap[child + 1] < heap[child])
                child++;
            if (heap[at] <= heap[child])
                break;
            u32 t = heap[at];
            heap[at] = heap[child];
            heap[child] = t;
            at = child;
        }
    }
    io.put(sum);
    io.put(sorted);
}

NOINLINE void quick(u32 *a, int low, int high) {
    while (low < high) {
        u32 pivot = a[(low + high) / 2];
        int i = low - 1, j = high + 1;
        for (;;) {
            do
                i++;
            while (a[i] < pivot);
            do
                j--;
            while (a[j] > pivot);
            if (i >= j)
                break;
            u32 t = a[i];
            a[i] = a[j];
            a[j] = t;
        }
        quick(a, low, j);
        low = j + 1;
    }
}
// golden txt_quicksort words=2 block=64
GOLDEN(txt_quicksort) {
    Io io(in, out, n);
    u32 a[24], sum = 0;
    for (u32 k = 0; k < 24; k++)
        a[k] = io.word(k) & 0xFFFF;
    quick(a, 0, 23);
    for (u32 k = 0; k < 24; k++)
        sum = sum * 5 + a[k];
    io.put(sum);
    io.put(a[io.i % 24]);
}

NOINLINE u32 place(u32 size, u32 columns, u32 left, u32 right) {
    u32 free = ~(columns | left | right) & ((1u << size) - 1), count = 0;
    if (columns == (1u << size) - 1)
        return 1;
    while (free) {
        u32 bit = free & (0 - free);
        free ^= bit;
        count += place(size, columns | bit, (left | bit) << 1, (right | bit) >> 1);
    }
    return count;
}
// golden txt_queens words=1 grid=1 block=64
GOLDEN(txt_queens) {
    Io io(in, out, n);
    u32 size = 4 + io.i % 3;
    u32 first = 1u << (io.word(0) % size);
    io.put(place(size, first, first << 1, first >> 1));
}

// golden txt_permutations words=2
GOLDEN(txt_permutations) {
    Io io(in, out, n);
    u8 order[8];
    u32 index = io.word(0) % 40320, rest = index, rank = 0, sum = 0;
    for (u32 k = 0; k < 8; k++)
        order[k] = (u8)k;
    for (u32 k = 8; k > 1; k--) {
        u32 pick = rest % k;
        rest /= k;
        u8 t = order[pick];
        order[pick] = order[k - 1];
        order[k - 1] = t;
    }
    for (u32 k = 0; k < 8; k++) {
        u32 less = 0;
        for (u32 j = k + 1; j < 8; j++)
            less += order[j] < order[k];
        rank = rank * (8 - k) + less;
        sum = sum * 8 + order[k];
    }
    io.put(sum);
    io.put(rank);
}

// A machine of six instructions that runs a program of the input's words.
// golden txt_interpreter words=2 block=64
GOLDEN(txt_interpreter) {
    Io io(in, out, n);
    u32 r[4] = {io.word(0), io.word(1), 3, 5}, pc = 0, steps = 0;
    while (steps < 100) {
        u32 w = in[(pc * 7 + blockIdx.x) & 4095];
        u32 a = w & 3, b = w >> 2 & 3;
        steps++;
        pc = (pc + 1) & 63;
        switch (w >> 4 & 7) {
        case 0: r[a] += r[b]; break;
        case 1: r[a] ^= r[b] << (w >> 8 & 7); break;
        case 2: r[a] = r[a] * r[b] + 1; break;
        case 3: if (r[a] & 1) pc = w >> 12 & 63; break;
        case 4: r[a] = r[b] >> 1; break;
        case 5: r[a] -= 77; break;
        default: if ((w >> 20 & 15) == 3) steps += 50;
        }
    }
    io.put(r[0] ^ r[1] * 3 ^ r[2] * 5 ^ r[3] * 7);
    io.put(pc);
}
