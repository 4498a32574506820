// SPDX-License-Identifier: Apache-2.0
// runtime/: copies and fills of bytes, rows and planes, between host and
// device, of variables, of streams; what they refuse; and that what they write
// counts as written.
#include "tests/unit/cuda_program.h"

cudaError_t cudaMemcpy2D(void *to, size_t to_pitch, const void *from,
                         size_t from_pitch, size_t width, size_t height,
                         int kind);
cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from,
                              size_t from_pitch, size_t width, size_t height,
                              int kind, cudaStream_t stream);
cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms *copy);
cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms *copy, cudaStream_t s);
typedef struct cudaMemcpy3DPeerParms {
    void *srcArray;
    cudaPos srcPos;
    cudaPitchedPtr srcPtr;
    int srcDevice;
    void *dstArray;
    cudaPos dstPos;
    cudaPitchedPtr dstPtr;
    int dstDevice;
    cudaExtent extent;
} cudaMemcpy3DPeerParms;

cudaError_t cudaMemcpy3DPeer(const cudaMemcpy3DPeerParms *copy);
cudaError_t cudaMemcpy3DPeerAsync(const cudaMemcpy3DPeerParms *copy,
                                  cudaStream_t stream);
cudaError_t cudaMemcpyPeer(void *to, int to_device, const void *from,
                           int from_device, size_t count);
cudaError_t cudaMemcpyBatchAsync(void *const *to, const void *const *from,
                                 const size_t *sizes, size_t count,
                                 const void *attributes, const size_t *of,
                                 size_t attribute_count, cudaStream_t stream,
                                 void *unused);
cudaError_t cudaMemset2D(void *to, size_t pitch, int value, size_t width,
                         size_t height);
cudaError_t cudaMemset2DAsync(void *to, size_t pitch, int value, size_t width,
                              size_t height, cudaStream_t stream);
cudaError_t cudaMemset3D(cudaPitchedPtr to, int value, cudaExtent extent);
cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *from,
                               size_t count, size_t offset, int kind);
cudaError_t cudaMemcpyFromSymbol(void *to, const void *symbol, size_t count,
                                 size_t offset, int kind);
cudaError_t cudaMemcpyToSymbolAsync(const void *symbol, const void *from,
                                    size_t count, size_t offset, int kind,
                                    cudaStream_t stream);
cudaError_t cudaMemcpyFromSymbolAsync(void *to, const void *symbol,
                                      size_t count, size_t offset, int kind,
                                      cudaStream_t stream);
cudaError_t cudaGetSymbolAddress(void **address, const void *symbol);
cudaError_t cudaGetSymbolSize(size_t *size, const void *symbol);
void __cudaRegisterVar(void **handle, const void *host, char *device,
                       const char *name, int ext, size_t size, int constant,
                       int global);
cudaError_t cuMemcpy(void *to, const void *from, size_t count);
cudaError_t cuMemcpyHtoD_v2(void *to, const void *from, size_t count);
cudaError_t cuMemcpyDtoH_v2(void *to, const void *from, size_t count);
cudaError_t cuMemcpyDtoD_v2(void *to, const void *from, size_t count);
cudaError_t cuMemsetD8_v2(void *to, uint8_t value, size_t count);
cudaError_t cuMemsetD16_v2(void *to, uint16_t value, size_t count);
cudaError_t cuMemsetD32_v2(void *to, uint32_t value, size_t count);
cudaError_t cuMemsetD32Async(void *to, uint32_t value, size_t count,
                             cudaStream_t stream);
cudaError_t cuMemsetD2D16_v2(void *to, size_t pitch, uint16_t value,
                             size_t width, size_t rows);
cudaError_t cuMemsetD2D32_v2(void *to, size_t pitch, uint32_t value,
                             size_t width, size_t rows);

static const int D2H = cudaMemcpyDeviceToHost, H2D = cudaMemcpyHostToDevice,
                 D2D = cudaMemcpyDeviceToDevice, ANY = cudaMemcpyDefault;

// Memory of the device whose bytes are 0, 1, 2, ...
static uint8_t *counting(size_t count) {
    uint8_t bytes[256];
    void *memory = NULL;
    for (size_t i = 0; i < count; i++)
        bytes[i] = (uint8_t)i;
    CHECK_INT(cudaMalloc(&memory, count), cudaSuccess);
    CHECK_INT(cudaMemcpy(memory, bytes, count, H2D), cudaSuccess);
    return memory;
}

static uint8_t *zeros(size_t count) {
    void *memory = NULL;
    CHECK_INT(cudaMalloc(&memory, count), cudaSuccess);
    CHECK_INT(cudaMemset(memory, 0, count), cudaSuccess);
    return memory;
}

static void check_bytes(const uint8_t *memory, const char *hex) {
    for (size_t i = 0; hex[2 * i]; i++) {
        char digits[] = {hex[2 * i], hex[2 * i + 1], '\0'};
        uint8_t byte = 0xee;
        CHECK_INT(cudaMemcpy(&byte, memory + i, 1, D2H), cudaSuccess);
        if (!CHECK_INT(byte, strtol(digits, NULL, 16)))
            printf("# byte %zu\n", i);
    }
}

// ---- bytes -----------------------------------------------------------------

TEST(bytes_are_copied_both_ways) {
    uint8_t *a = counting(8), *b = zeros(8), host[8] = {0};
    CHECK_INT(cudaMemcpy(b + 1, a + 2, 4, D2D), cudaSuccess);
    check_bytes(b, "0002030405000000");
    CHECK_INT(cudaMemcpy(host, b, 5, D2H), cudaSuccess);
    CHECK(host[1] == 2 && host[4] == 5 && host[5] == 0);
    host[0] = 9;
    CHECK_INT(cudaMemcpy(a + 7, host, 1, ANY), cudaSuccess);
    CHECK_INT(cudaMemcpy(host + 2, a + 6, 2, ANY), cudaSuccess);
    CHECK(host[2] == 6 && host[3] == 9);
    CHECK_INT(cudaMemcpy(host, host + 2, 2, cudaMemcpyHostToHost), cudaSuccess);
    CHECK(host[0] == 6 && host[1] == 9);
    CHECK_INT(cudaMemcpyPeer(b, 0, a, 0, 2), cudaSuccess);
    check_bytes(b, "0001");
    CHECK_INT(cudaMemcpyAsync(b, a + 4, 2, D2D, NULL), cudaSuccess);
    check_bytes(b, "0405");
}

TEST(a_copy_goes_where_its_direction_says) {
    uint8_t *device = counting(8), host[8];
    CHECK_INT(cudaMemcpy(host, device, 8, 5), cudaErrorInvalidMemcpyDirection);
    CHECK_INT(cudaMemcpy(host, device, 8, -1), cudaErrorInvalidMemcpyDirection);
    CHECK_INT(cudaMemcpy(host, device, 8, H2D), cudaErrorInvalidValue);
    CHECK_INT(cudaMemcpy(host, device, 8, D2D), cudaErrorInvalidValue);
    CHECK_INT(cudaMemcpy(device, host, 8, D2H), cudaErrorInvalidValue);
    CHECK_INT(cudaMemcpy(device, host, 8, D2D), cudaErrorInvalidValue);
    CHECK_INT(cudaMemcpyPeer(device, 0, host, 0, 8), cudaErrorInvalidValue);
    CHECK_INT(cudaMemcpy(device, host, 0, D2D), cudaSuccess); // it is nothing
}

TEST(a_copy_stays_within_memory) {
    uint8_t *device = counting(8), host[16] = {0};
    CHECK_INT(cudaMemcpy(host, device, 9, D2H), cudaErrorInvalidValue);
    CHECK_INT(cudaMemcpy(host, device + 8, 1, D2H), cudaErrorInvalidValue);
    CHECK_INT(cudaMemcpy(host, device + 9, 1, ANY), cudaErrorInvalidValue);
    CHECK_INT(cudaMemcpy(device + 4, host, 5, H2D), cudaErrorInvalidValue);
    CHECK_INT(cudaMemcpy(host, device + 4, 4, D2H), cudaSuccess);
    CHECK_INT(cudaMemset(device + 4, 1, 5), cudaErrorInvalidValue);
    CHECK_INT(cudaMemset(host, 1, 5), cudaErrorInvalidValue);
    CHECK_INT(cudaMemset(device + 4, 1, 4), cudaSuccess);
    CHECK_INT(cudaMemset(host, 1, 0), cudaSuccess);
    check_bytes(device, "0001020301010101");
    CHECK_INT(cudaGetLastError(), cudaErrorInvalidValue);
    CHECK_INT(cudaGetLastError(), cudaSuccess);
}

TEST(a_batch_is_copied_one_by_one) {
    uint8_t *a = counting(8), *b = zeros(8);
    void *to[] = {b, b + 4};
    const void *from[] = {a + 1, a + 5};
    size_t sizes[] = {2, 3};
    CHECK_INT(
        cudaMemcpyBatchAsync(to, from, sizes, 2, NULL, NULL, 0, NULL, NULL),
        cudaSuccess);
    check_bytes(b, "0102000005060700");
    CHECK_INT(
        cudaMemcpyBatchAsync(to, from, sizes, 0, NULL, NULL, 0, NULL, NULL),
        cudaErrorInvalidValue);
    CHECK_INT(
        cudaMemcpyBatchAsync(NULL, from, sizes, 2, NULL, NULL, 0, NULL, NULL),
        cudaErrorInvalidValue);
    CHECK_INT(
        cudaMemcpyBatchAsync(to, NULL, sizes, 2, NULL, NULL, 0, NULL, NULL),
        cudaErrorInvalidValue);
    CHECK_INT(
        cudaMemcpyBatchAsync(to, from, NULL, 2, NULL, NULL, 0, NULL, NULL),
        cudaErrorInvalidValue);
    sizes[0] = 9;
    sizes[1] = 1;
    CHECK_INT(
        cudaMemcpyBatchAsync(to, from, sizes, 2, NULL, NULL, 0, NULL, NULL),
        cudaErrorInvalidValue);
    check_bytes(b, "0102000005"); // the first one's error ended it
}

TEST(the_driver_copies_by_name) {
    uint8_t *a = counting(8), *b = zeros(8), host[4] = {0};
    CHECK_INT(cuMemcpyDtoD_v2(b, a + 1, 2), cudaSuccess);
    CHECK_INT(cuMemcpyDtoH_v2(host, b, 2), cudaSuccess);
    CHECK(host[0] == 1 && host[1] == 2);
    CHECK_INT(cuMemcpyHtoD_v2(b + 4, host, 1), cudaSuccess);
    CHECK_INT(cuMemcpy(b + 5, host + 1, 1), cudaSuccess);
    check_bytes(b, "010200000102");
    CHECK_INT(cuMemcpyDtoD_v2(b, host, 2), cudaErrorInvalidValue);
    CHECK_INT(cuMemcpyDtoH_v2(host, host, 2), cudaErrorInvalidValue);
    CHECK_INT(cuMemcpyHtoD_v2(host, host, 2), cudaErrorInvalidValue);
}

// ---- rows and planes -------------------------------------------------------

TEST(rows_are_copied_between_pitches) {
    uint8_t *a = counting(12), *b = zeros(12), host[6] = {0};
    CHECK_INT(cudaMemcpy2D(b, 4, a + 1, 3, 2, 3, D2D), cudaSuccess);
    check_bytes(b, "010200000405000007080000");
    CHECK_INT(cudaMemcpy2D(host, 2, a, 5, 2, 2, D2H), cudaSuccess);
    CHECK(host[0] == 0 && host[1] == 1 && host[2] == 5 && host[3] == 6);
    CHECK_INT(cudaMemcpy2DAsync(b, 3, host, 2, 2, 2, H2D, NULL), cudaSuccess);
    check_bytes(b, "0001000506");
    CHECK_INT(cudaMemcpy2D(b, 1, a, 3, 2, 2, D2D), cudaErrorInvalidPitchValue);
    CHECK_INT(cudaMemcpy2D(b, 3, a, 1, 2, 2, D2D), cudaErrorInvalidPitchValue);
    CHECK_INT(cudaMemcpy2D(b, 2, a, 2, 2, 2, D2D), cudaSuccess);
    CHECK_INT(cudaMemcpy2D(b, 1, a, 1, 2, 0, D2D), cudaSuccess);
    CHECK_INT(cudaMemcpy2D(b, 6, a, 6, 6, 2, D2D), cudaSuccess);
    CHECK_INT(cudaMemcpy2D(b, 7, a, 6, 6, 2, D2D), cudaErrorInvalidValue);
    CHECK_INT(cudaMemcpy2D(b, 6, a + 1, 6, 6, 2, D2D), cudaErrorInvalidValue);
}

TEST(planes_are_copied) {
    uint8_t *a = counting(24), *b = zeros(24);
    // Of 2 planes of 3 rows of 4 bytes, the last 2 of each row but the first.
    cudaMemcpy3DParms copy = {.srcPtr = {a, 4, 4, 3},
                              .srcPos = {2, 1, 0},
                              .dstPtr = {b, 3, 3, 2},
                              .extent = {2, 2, 2},
                              .kind = D2D};
    CHECK_INT(cudaMemcpy3D(&copy), cudaSuccess);
    check_bytes(b, "0607000a0b001213001617");
    copy.dstPos = (cudaPos){1, 0, 1};
    CHECK_INT(cudaMemcpy3DAsync(&copy, NULL), cudaSuccess);
    check_bytes(b + 6, "120607160a0b00121300");
    copy.dstPos.z = 7;
    CHECK_INT(cudaMemcpy3D(&copy), cudaErrorInvalidValue);
    copy.dstPos.z = 1;
    copy.srcPos.z = 1;
    CHECK_INT(cudaMemcpy3D(&copy), cudaErrorInvalidValue);
    copy.extent.depth = 0;
    CHECK_INT(cudaMemcpy3D(&copy), cudaSuccess);
    copy = (cudaMemcpy3DParms){.srcPtr = {a, 4, 4, 3},
                               .dstPtr = {b, 1, 3, 2},
                               .extent = {2, 1, 1},
                               .kind = D2D};
    CHECK_INT(cudaMemcpy3D(&copy), cudaErrorInvalidPitchValue);
    CHECK_INT(cudaMemcpy3D(NULL), cudaErrorInvalidValue);
    CHECK_INT(cudaMemcpy3DAsync(NULL, NULL), cudaErrorInvalidValue);
}

// There is one device, which is its own peer.
TEST(planes_are_copied_between_devices) {
    uint8_t *a = counting(24), *b = zeros(24);
    cudaMemcpy3DPeerParms copy = {.srcPtr = {a, 4, 4, 3},
                                  .srcPos = {2, 1, 0},
                                  .dstPtr = {b, 3, 3, 2},
                                  .extent = {2, 2, 2}};
    CHECK_INT(cudaMemcpy3DPeer(&copy), cudaSuccess);
    check_bytes(b, "0607000a0b001213001617");
    copy.dstPos = (cudaPos){1, 0, 1};
    CHECK_INT(cudaMemcpy3DPeerAsync(&copy, NULL), cudaSuccess);
    CHECK_INT(cudaDeviceSynchronize(), cudaSuccess);
    check_bytes(b + 6, "120607160a0b00121300");
    copy.dstPos.z = 7;
    CHECK_INT(cudaMemcpy3DPeer(&copy), cudaErrorInvalidValue);
    CHECK_INT(cudaMemcpy3DPeerAsync(&copy, NULL), cudaErrorInvalidValue);
    CHECK_INT(cudaMemcpy3DPeer(NULL), cudaErrorInvalidValue);
    CHECK_INT(cudaMemcpy3DPeerAsync(NULL, NULL), cudaErrorInvalidValue);
}

// ---- fills -----------------------------------------------------------------

TEST(rows_are_filled) {
    uint8_t *a = counting(12);
    CHECK_INT(cudaMemset2D(a + 1, 4, 0x1ff, 2, 3), cudaSuccess);
    check_bytes(a, "00ffff0304ffff0708ffff0b");
    CHECK_INT(cudaMemset2DAsync(a, 6, 0xaa, 1, 2, NULL), cudaSuccess);
    check_bytes(a, "aaffff0304ffaa07");
    CHECK_INT(cudaMemset2D(a, 1, 0, 2, 2), cudaErrorInvalidPitchValue);
    CHECK_INT(cudaMemset2D(a, 2, 0, 2, 1), cudaSuccess);
    CHECK_INT(cudaMemset2D(a, 12, 0, 1, 2), cudaErrorInvalidValue);
    CHECK_INT(cudaMemset2D(a, 1, 0, 2, 0), cudaSuccess);
    cudaPitchedPtr planes = {counting(12), 3, 3, 2};
    CHECK_INT(cudaMemset3D(planes, 0xee, (cudaExtent){2, 1, 2}), cudaSuccess);
    check_bytes(planes.ptr, "eeee02030405eeee08");
    CHECK_INT(cudaMemset3D(planes, 0, (cudaExtent){2, 1, 3}),
              cudaErrorInvalidValue);
}

TEST(the_driver_fills_with_wider_values) {
    uint8_t *a = counting(16), host[4];
    CHECK_INT(cuMemsetD16_v2(a, 0x1234, 2), cudaSuccess);
    CHECK_INT(cuMemsetD32_v2(a + 4, 0x89abcdef, 1), cudaSuccess);
    CHECK_INT(cuMemsetD8_v2(a + 8, 0x77, 1), cudaSuccess);
    check_bytes(a, "34123412efcdab897709");
    CHECK_INT(cuMemsetD2D16_v2(a, 6, 0x5678, 1, 2), cudaSuccess);
    check_bytes(a, "78563412efcd785677");
    CHECK_INT(cuMemsetD32Async(a + 12, 1, 1, NULL), cudaSuccess);
    check_bytes(a + 11, "0b01000000");
    CHECK_INT(cuMemsetD32_v2(a + 12, 0, 2), cudaErrorInvalidValue);
    CHECK_INT(cuMemsetD16_v2(host, 0, 2), cudaErrorInvalidValue);
    CHECK_INT(cuMemsetD32_v2(host, 0, 0), cudaSuccess);
    CHECK_INT(cuMemsetD2D32_v2(a, 3, 0, 1, 2), cudaErrorInvalidValue);
    CHECK_INT(cuMemsetD2D32_v2(a, 4, 0, 1, 2), cudaSuccess);
    CHECK_INT(cuMemsetD2D32_v2(a, 3, 9, 1, 1), cudaSuccess);
    check_bytes(a, "0900000000000000");
}

// ---- variables -------------------------------------------------------------

// What stands in a program for a variable of the device.
static const char SHADOW, OTHER, LACKING;

static Program with_variables(void) {
    Program p = program_begin();
    __cudaRegisterVar((void **)p.module, &SHADOW, NULL, "table", 0, 16, 0, 0);
    __cudaRegisterVar((void **)p.module, &LACKING, NULL, "lacking", 0, 4, 0, 0);
    return p;
}

// As a program does that nvcc has compiled, the names come before the module is
// loaded.
TEST(variables_are_found_by_what_stands_for_them) {
    CUmodule module = NULL;
    Program p = program_begin();
    void *address = NULL, *same = NULL;
    size_t size = 0;
    CHECK_INT(cudaGetSymbolAddress(&address, &OTHER), cudaErrorInvalidSymbol);
    CHECK_INT(cudaGetSymbolSize(&size, &OTHER), cudaErrorInvalidSymbol);
    void **__cudaRegisterFatBinary(const void *wrapper);
    struct {
        int magic, version;
        const void *image;
        const void *parts;
    } wrapper = {0x466243b1, 1, PROGRAM_PTX, NULL};
    module = (CUmodule)__cudaRegisterFatBinary(&wrapper);
    __cudaRegisterVar((void **)module, &SHADOW, NULL, "table", 0, 16, 0, 0);
    __cudaRegisterVar((void **)module, &LACKING, NULL, "lacking", 0, 4, 0, 0);
    CHECK_INT(cudaGetSymbolAddress(&address, &SHADOW), cudaSuccess);
    CHECK_INT(cudaGetSymbolSize(&size, &SHADOW), cudaSuccess);
    CHECK_U64(size, 16);
    CHECK_INT(cuModuleGetGlobal_v2(&same, NULL, module, "table"), cudaSuccess);
    CHECK(address == same);
    CHECK_INT(cudaGetSymbolAddress(&address, &LACKING), cudaErrorInvalidSymbol);
    uint8_t bytes[16] = {1, 2, 3, 4};
    CHECK_INT(cudaMemcpyToSymbol(&SHADOW, bytes, 4, 2, H2D), cudaSuccess);
    check_bytes(address, "0000010203040000");
    CHECK_INT(cudaMemcpyFromSymbol(bytes + 8, &SHADOW, 3, 3, D2H), cudaSuccess);
    CHECK(bytes[8] == 2 && bytes[10] == 4 && bytes[11] == 0);
    CHECK_INT(cudaMemcpyToSymbolAsync(&SHADOW, bytes, 1, 15, H2D, NULL),
              cudaSuccess);
    check_bytes((uint8_t *)address + 14, "0001");
    CHECK_INT(cudaMemcpyFromSymbolAsync(bytes + 4, &SHADOW, 1, 15, D2H, NULL),
              cudaSuccess);
    CHECK_INT(bytes[4], 1);
    CHECK_INT(cudaMemcpyToSymbol(&SHADOW, bytes, 16, 0, H2D), cudaSuccess);
    CHECK_INT(cudaMemcpyToSymbol(&SHADOW, bytes, 16, 1, H2D),
              cudaErrorInvalidValue);
    CHECK_INT(cudaMemcpyToSymbol(&SHADOW, bytes, 0, 17, H2D),
              cudaErrorInvalidValue);
    CHECK_INT(cudaMemcpyFromSymbol(bytes, &OTHER, 1, 0, D2H),
              cudaErrorInvalidSymbol);
    CHECK_INT(cudaMemcpyToSymbolAsync(&OTHER, bytes, 1, 0, H2D, NULL),
              cudaErrorInvalidSymbol);
    arena_free(&p.arena);
}

TEST(variables_of_a_module_have_names) {
    Program p = with_variables();
    void *address = &p;
    size_t size = 7;
    CHECK_INT(cuModuleGetGlobal_v2(&address, &size, p.module, "missing"),
              cudaErrorSymbolNotFound);
    CHECK_INT(cuModuleGetGlobal_v2(NULL, &size, p.module, "table"),
              cudaSuccess);
    CHECK_U64(size, 16);
    CHECK_INT(cuModuleGetGlobal_v2(&address, NULL, NULL, "table"),
              cudaErrorInvalidValue);
    CHECK_INT(cuModuleGetGlobal_v2(&address, NULL, p.module, NULL),
              cudaErrorInvalidValue);
    arena_free(&p.arena);
}

// ---- what counts as written ------------------------------------------------

// Runs a kernel that decides by a word. True: nobody has written it.
static bool is_unwritten(Program *p, const void *word) {
    uint64_t before = program_told(p).finding_count;
    void *args[] = {&word};
    CHECK_INT(program_launch(p, "decides", 1, args), cudaSuccess);
    CHECK_INT(cudaDeviceSynchronize(), cudaSuccess);
    return program_told(p).finding_count > before;
}

TEST(memory_that_nobody_has_written_is_told) {
    Program p = program_begin();
    char *memory;
    cudaMalloc((void **)&memory, 64);
    CHECK(is_unwritten(&p, memory));
    ExecResult told = program_told(&p);
    CHECK_STR(told.findings[0].cause.code, "MEM003");
    CHECK_STR(told.findings[0].kernel, "decides");
    CHECK_U64(told.findings[0].launch, 1);
}

TEST(what_is_filled_is_written) {
    Program p = program_begin();
    char *memory;
    cudaMalloc((void **)&memory, 64);
    cudaMemset(memory + 8, 0, 4);
    CHECK(!is_unwritten(&p, memory + 8));
    cuMemsetD32_v2(memory + 16, 0, 1);
    CHECK(!is_unwritten(&p, memory + 16));
    cudaMemset2D(memory + 24, 8, 0, 4, 2);
    CHECK(!is_unwritten(&p, memory + 32));
    CHECK(is_unwritten(&p, memory + 28)); // between the rows
}

TEST(what_is_copied_is_written_as_far_as_its_source) {
    Program p = program_begin();
    char *memory, *other;
    uint32_t host = 0;
    cudaMalloc((void **)&memory, 64);
    cudaMalloc((void **)&other, 64);
    cudaMemcpy(memory, &host, 4, H2D);
    CHECK(!is_unwritten(&p, memory));
    cudaMemcpy(other, memory, 8, D2D);
    CHECK(!is_unwritten(&p, other));
    CHECK(is_unwritten(&p, other + 4));
}

TEST_MAIN(TESTCASE(bytes_are_copied_both_ways),
          TESTCASE(a_copy_goes_where_its_direction_says),
          TESTCASE(a_copy_stays_within_memory),
          TESTCASE(a_batch_is_copied_one_by_one),
          TESTCASE(the_driver_copies_by_name),
          TESTCASE(rows_are_copied_between_pitches),
          TESTCASE(planes_are_copied),
          TESTCASE(planes_are_copied_between_devices),
          TESTCASE(rows_are_filled),
          TESTCASE(the_driver_fills_with_wider_values),
          TESTCASE(variables_are_found_by_what_stands_for_them),
          TESTCASE(variables_of_a_module_have_names),
          TESTCASE(memory_that_nobody_has_written_is_told),
          TESTCASE(what_is_filled_is_written),
          TESTCASE(what_is_copied_is_written_as_far_as_its_source))
