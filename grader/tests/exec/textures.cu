// SPDX-License-Identifier: Apache-2.0
// What texture fetches give: formats, shapes, filters, ways to address, mipmaps.
// Prints a line for each kind: its name, how many words were fetched, a hash of
// them and the first three; with an argument, all. A card wrote textures.out, and
// clclab exec must write the same. Read run() first: it makes a texture, fetches,
// prints and frees it.
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

enum { W = 11, H = 6, D = 4, FETCHES = 64 };

enum Shape { LINE, PLANE, VOLUME, LAYERS, CUBE, PITCHED, BUFFER, GATHER, MIPMAP, SHAPES };
static const char *const SHAPE_NAMES[SHAPES] = {"1d",      "2d",     "3d",     "layers", "cube",
                                                "pitched", "buffer", "gather", "mipmap"};

struct Kind {
    const char *name;
    cudaChannelFormatKind format;
    int bits, channels;
};

struct Way {
    Shape shape;
    bool reads_normalized, is_linear, has_normalized_coordinates;
    cudaTextureAddressMode address;
};

// Coordinates of fetch i: inside, on the edges between texels, and outside.
__device__ static float at(int i, int axis, float scale) {
    uint32_t x = (i * 3 + axis + 1) * 2654435761u;
    x ^= x >> 15;
    float steps = (int)(x % 97) - 32; // -32 to 64
    return steps / 32 * scale + (i % 5 == 0 ? 0.5f : 0);
}

template <class T>
__device__ static T fetch(cudaTextureObject_t t, Shape shape, bool normalized, int i) {
    float x = at(i, 0, normalized ? 1 : W), y = at(i, 1, normalized ? 1 : H);
    float z = at(i, 2, normalized ? 1 : D);
    switch (shape) {
    case LINE: return tex1D<T>(t, x);
    case PLANE:
    case PITCHED: return tex2D<T>(t, x, y);
    case VOLUME: return tex3D<T>(t, x, y, z);
    case LAYERS: return tex2DLayered<T>(t, x, y, i % D);
    case CUBE: return texCubemap<T>(t, x - 0.29f, y - 0.31f, z - 0.33f);
    case BUFFER: return tex1Dfetch<T>(t, i % W);
    case MIPMAP: return tex2DLod<T>(t, x, y, (i % 9) * 0.25f);
    default: return T();
    }
}

template <class T>
__global__ void fetch_all(cudaTextureObject_t t, Shape shape, bool normalized, T *out) {
    int i = threadIdx.x;
    out[i] = fetch<T>(t, shape, normalized, i);
}

// tex2Dgather has vectors of four only.
template <class T>
__global__ void gather_all(cudaTextureObject_t t, bool normalized, T *out) {
    int i = threadIdx.x;
    float x = at(i, 0, normalized ? 1 : W), y = at(i, 1, normalized ? 1 : H);
    out[i] = i % 2 ? tex2Dgather<T>(t, x, y, 0) : tex2Dgather<T>(t, x, y, 3);
}

static std::vector<uint8_t> texels(const Kind &kind, size_t count) {
    std::vector<uint8_t> bytes(count * kind.channels * kind.bits / 8);
    uint32_t x = 12345;
    for (size_t i = 0; i < bytes.size(); i++) {
        x = x * 1664525 + 1013904223;
        bytes[i] = x >> 24;
        // Of numbers with a point: small ones, so that sums are finite.
        if (kind.format == cudaChannelFormatKindFloat && i % (kind.bits / 8) == kind.bits / 8u - 1)
            bytes[i] = (bytes[i] & 0x80) | 0x3b;
    }
    return bytes;
}

static cudaChannelFormatDesc format_of(const Kind &kind) {
    int c = kind.channels, b = kind.bits;
    return {b, c > 1 ? b : 0, c > 2 ? b : 0, c > 3 ? b : 0, kind.format};
}

struct Memory {
    cudaArray_t array;
    cudaMipmappedArray_t mipmap;
    void *linear;
};

static void fill(cudaArray_t array, const std::vector<uint8_t> &bytes, size_t texel, cudaExtent size) {
    cudaMemcpy3DParms copy = {};
    copy.srcPtr = make_cudaPitchedPtr((void *)bytes.data(), size.width * texel, size.width, size.height);
    copy.dstArray = array;
    copy.extent = make_cudaExtent(size.width, size.height ? size.height : 1, size.depth ? size.depth : 1);
    copy.kind = cudaMemcpyHostToDevice;
    cudaMemcpy3D(&copy);
}

static cudaExtent size_of(Shape shape) {
    switch (shape) {
    case LINE: return make_cudaExtent(W, 0, 0);
    case VOLUME:
    case LAYERS: return make_cudaExtent(W, H, D);
    case CUBE: return make_cudaExtent(H, H, 6);
    default: return make_cudaExtent(W, H, 0);
    }
}

static cudaResourceDesc resource_of(const Kind &kind, Shape shape, Memory *memory) {
    cudaResourceDesc from = {};
    cudaChannelFormatDesc format = format_of(kind);
    size_t texel = kind.channels * kind.bits / 8;
    cudaExtent size = size_of(shape);
    if (shape == BUFFER || shape == PITCHED) {
        size_t pitch = 256, rows = shape == BUFFER ? 1 : H;
        std::vector<uint8_t> bytes = texels(kind, W * rows);
        cudaMalloc(&memory->linear, pitch * rows);
        cudaMemcpy2D(memory->linear, pitch, bytes.data(), W * texel, W * texel, rows, cudaMemcpyHostToDevice);
        from.resType = shape == BUFFER ? cudaResourceTypeLinear : cudaResourceTypePitch2D;
        if (shape == BUFFER)
            from.res.linear = {memory->linear, format, W * texel};
        else
            from.res.pitch2D = {memory->linear, format, W, H, pitch};
        return from;
    }
    if (shape == MIPMAP) {
        cudaMallocMipmappedArray(&memory->mipmap, &format, size, 3);
        for (int level = 0; level < 3; level++) {
            cudaArray_t array;
            cudaGetMipmappedArrayLevel(&array, memory->mipmap, level);
            cudaExtent part = make_cudaExtent(W >> level, H >> level, 0);
            fill(array, texels(kind, part.width * part.height), texel, part);
        }
        from.resType = cudaResourceTypeMipmappedArray;
        from.res.mipmap.mipmap = memory->mipmap;
        return from;
    }
    unsigned flags = shape == LAYERS ? cudaArrayLayered : shape == CUBE ? cudaArrayCubemap : 0;
    if (shape == GATHER)
        flags = cudaArrayTextureGather;
    cudaMalloc3DArray(&memory->array, &format, size, flags);
    fill(memory->array, texels(kind, size.width * (size.height ? size.height : 1) * (size.depth ? size.depth : 1)),
         texel, size);
    from.resType = cudaResourceTypeArray;
    from.res.array.array = memory->array;
    return from;
}

template <class T> static std::vector<uint32_t> fetched(cudaTextureObject_t t, const Way &way) {
    T *out;
    cudaMalloc(&out, FETCHES * sizeof(T));
    if constexpr (sizeof(T) == 16) {
        if (way.shape == GATHER)
            gather_all<T><<<1, FETCHES>>>(t, way.has_normalized_coordinates, out);
    }
    if (way.shape != GATHER)
        fetch_all<T><<<1, FETCHES>>>(t, way.shape, way.has_normalized_coordinates, out);
    std::vector<uint32_t> words(FETCHES * sizeof(T) / 4);
    cudaMemcpy(words.data(), out, FETCHES * sizeof(T), cudaMemcpyDeviceToHost);
    cudaFree(out);
    return words;
}

static std::vector<uint32_t> fetch_words(cudaTextureObject_t t, const Kind &kind, const Way &way) {
    bool four = kind.channels == 4;
    if (way.reads_normalized || kind.format == cudaChannelFormatKindFloat)
        return four ? fetched<float4>(t, way) : fetched<float>(t, way);
    if (kind.format == cudaChannelFormatKindSigned)
        return four ? fetched<int4>(t, way) : fetched<int>(t, way);
    return four ? fetched<uint4>(t, way) : fetched<unsigned>(t, way);
}

static bool shows_all;

static void print(const std::string &name, const std::vector<uint32_t> &words) {
    uint64_t hash = 14695981039346656037u;
    for (uint32_t word : words)
        hash = (hash ^ word) * 1099511628211u;
    printf("%s %zu %016llx", name.c_str(), words.size(), (unsigned long long)hash);
    for (size_t i = 0; i < (shows_all ? words.size() : 3); i++)
        printf(" %08x", words[i]);
    printf("\n");
}

static void run(const Kind &kind, const Way &way) {
    static const char *const modes[] = {"wrap", "clamp", "mirror", "border"};
    Memory memory = {};
    cudaTextureObject_t t = 0;
    cudaTextureDesc how = {};
    cudaResourceDesc from = resource_of(kind, way.shape, &memory);
    for (cudaTextureAddressMode &mode : how.addressMode)
        mode = way.address;
    how.filterMode = way.is_linear ? cudaFilterModeLinear : cudaFilterModePoint;
    how.mipmapFilterMode = how.filterMode;
    how.maxMipmapLevelClamp = way.shape == MIPMAP ? 2 : 0;
    how.readMode = way.reads_normalized ? cudaReadModeNormalizedFloat : cudaReadModeElementType;
    how.normalizedCoords = way.has_normalized_coordinates;
    for (int i = 0; i < 4; i++)
        how.borderColor[i] = 0.25f * (i + 1);
    std::string name = std::string(kind.name) + (kind.channels == 4 ? "x4 " : " ") + SHAPE_NAMES[way.shape] + ' ' +
                       modes[way.address] + (way.is_linear ? " linear" : " point") +
                       (way.reads_normalized ? " normalized" : "") +
                       (way.has_normalized_coordinates ? " by-1" : "");
    cudaError_t error = cudaCreateTextureObject(&t, &from, &how, nullptr);
    if (error)
        printf("%s: %s\n", name.c_str(), cudaGetErrorName(error));
    else
        print(name, fetch_words(t, kind, way));
    cudaGetLastError();
    cudaDestroyTextureObject(t);
    cudaFreeArray(memory.array);
    cudaFreeMipmappedArray(memory.mipmap);
    cudaFree(memory.linear);
}

// Where clclab exec may have another last bit (docs/semantics.md).
static bool is_near(const Kind &kind, int shape, bool is_linear, int address) {
    bool is_float = kind.format == cudaChannelFormatKindFloat;
    return is_linear && (shape == CUBE || (kind.format == cudaChannelFormatKindSigned && kind.bits == 8) ||
                         (is_float && kind.bits == 32 && address == cudaAddressModeBorder));
}

// All other ways that a card takes.
static void run_ways(const Kind &kind) {
    bool is_float = kind.format == cudaChannelFormatKindFloat;
    for (int shape = 0; shape < SHAPES; shape++)
        for (int normalized = 0; normalized <= (!is_float && kind.bits < 32); normalized++)
            for (int linear = 0; linear <= (is_float || normalized); linear++)
                for (int by_1 = 0; by_1 < 2; by_1++)
                    for (int address = 0; address < 4; address++) {
                        bool is_fixed = shape == BUFFER || shape == CUBE;
                        if ((!by_1 && address % 2 == 0) || (shape == GATHER && kind.channels != 4) ||
                            (is_fixed && address != 1) || (shape == BUFFER && (by_1 || linear)) ||
                            ((shape == MIPMAP || shape == CUBE) && !by_1) ||
                            (shape != GATHER && is_near(kind, shape, linear, address)))
                            continue;
                        run(kind, {(Shape)shape, normalized != 0, linear != 0, by_1 != 0,
                                   (cudaTextureAddressMode)address});
                    }
}

int main(int argc, char **) {
    shows_all = argc > 1;
    const cudaChannelFormatKind U = cudaChannelFormatKindUnsigned, S = cudaChannelFormatKindSigned,
                                F = cudaChannelFormatKindFloat;
    const Kind kinds[] = {{"u8", U, 8, 1},   {"u8", U, 8, 4},   {"s8", S, 8, 1},   {"s8", S, 8, 4},
                          {"u16", U, 16, 1}, {"u16", U, 16, 4}, {"s16", S, 16, 4}, {"u32", U, 32, 4},
                          {"s32", S, 32, 1}, {"f16", F, 16, 1}, {"f16", F, 16, 4}, {"f32", F, 32, 1},
                          {"f32", F, 32, 4}};
    for (const Kind &kind : kinds)
        run_ways(kind);
    return 0;
}
