// SPDX-License-Identifier: Apache-2.0
// What the files of runtime/ share. Read in this order:
//
//   core/     cuda.h: the API's types
//             state.c: the one Runtime of the process; entering, leaving it
//             modules.c: what the program registers; a Device for each module
//             memory.c: addresses of device and host; copy.c: copies between
//             launch.c: a launch, its findings, what it printed
//             schedules.c: the same under other schedules, as a client of
//             trials/
//             journal.c: what clclab exec is told
//   arrays/   arrays (array.c), textures and surfaces (texture.c)
//   graphs/   graph.h: what a stream is given, graphs and captures
//   api/      the functions that the program calls. api_driver.c and driver_*.c
//             are the driver's; driver.aliases: those that are the runtime's by
//             another name; cudart.aliases: the reverse
#ifndef CLCLAB_RUNTIME_INTERNAL_H
#define CLCLAB_RUNTIME_INTERNAL_H

#include "device/device.h"
#include "runtime/core/array.h"
#include "runtime/core/cuda.h"
#include "runtime/core/journal.h"
#include "runtime/core/options.h"
#include "vm/vm.h"

#include <pthread.h>
#include <regex.h>

// ---- memory --------------------------------------------------------------

typedef enum SlotKind {
    SLOT_NONE,     // never used
    SLOT_DEVICE,   // cudaMalloc
    SLOT_HOST,     // cudaMallocHost: at the same address in the program
    SLOT_MANAGED,  // likewise
    SLOT_MAPPED,   // cudaHostRegister: the program's own, at another address
    SLOT_VARIABLE, // of a module
    SLOT_RESERVED, // cuMemAddressReserve
    SLOT_PARKED,   // of a graph's node: it keeps its address until the node is
                   // done
    SLOT_FREED,
} SlotKind;

// Where managed memory should lie.
typedef enum Home { HOME_NONE, HOME_HOST, HOME_DEVICE } Home;

// What the program has asked for of it.
typedef struct Advice {
    Home preferred, prefetched;
    bool is_read_mostly, is_accessed_by[HOME_DEVICE + 1];
} Advice;

// What lies at a number's address (vm.h).
typedef struct Slot {
    SlotKind kind;
    uint8_t *bytes;   // in this process
    uint64_t size;    // freed: of what was there
    ByteSet *written; // the bytes that were; NULL: all count as written
    uint32_t next;    // freed: the number that was freed next, or 0
    uint32_t graphs;  // nodes that allocate it
    uint64_t reach;   // SLOT_RESERVED: where what kernels may use ends
    Advice advice;
} Slot;

// Numbers of one range, each given out once before freed ones come again.
typedef struct Numbers {
    uint32_t next, end;
    uint32_t freed_first, freed_last, freed_count;
} Numbers;

// A copy's, or a fill's, end: rows of bytes.
typedef struct Area {
    void *ptr;
    size_t pitch, slice; // bytes from a row, from a plane, to the next
} Area;

// ---- modules -------------------------------------------------------------

typedef struct Module Module;

struct CudaKernel {
    CudaKernel *next;
    Module *module;
    const void *host;    // the function that the program launches; or NULL
    Str name;            // in the PTX
    const PtxFunc *func; // NULL: the module is not loaded yet, or lacks it
    uint32_t
        most_dynamic;   // bytes that the program has asked for; 0: it has not
    bool large_cluster; // more than 8 blocks are allowed
};

typedef struct Variable {
    struct Variable *next;
    Module *module;
    const void *host; // the program's shadow of it; or NULL
    void **managed;   // where the program looks for its address; or NULL
    Str name;         // in the PTX
    uint32_t number;  // once the module is loaded
    uint64_t size;
} Variable;

// A fat binary of the program: loaded when something of it is needed.
struct Module {
    Module *next;
    const void *image;        // a fat binary; NULL: it is `text`
    Str text;                 // PTX
    const void *const *parts; // fat binaries to be linked, to NULL; or NULL
    const char *texts;        // PTX to be linked, each to a NUL, to an empty
                              // one; or NULL
    bool is_tried, is_dead;   // dead: the program has unregistered it
    bool lacks_parts;         // some of them have no PTX for this device
    CudaError end;            // of loading it
    PtxModule *ptx;
    Device *device;
    CudaKernel *kernels;
    Variable *variables;
};

// ---- the runtime ---------------------------------------------------------

// A finding of the process, to be known again.
typedef struct Seen {
    struct Seen *next;
    uint64_t key;
    uint64_t number;
    uint64_t launch; // the last that showed it
} Seen;

// cudaLimit.
enum { LIMIT_STACK = 0, LIMIT_HEAP = 2, LIMIT_COUNT = 7 };

struct Runtime {
    pthread_mutex_t lock;
    bool is_cuda12;   // the program is of CUDA 12
    bool is_ready;    // the environment has been read
    bool is_forked;   // in a child of the process that used the device
    bool has_begun;   // the journal has JOURNAL_BEGIN
    uint32_t process; // whose it is
    Str journal_path; // empty: none
    int journal;      // its descriptor; -1: it could not be opened
    uint64_t journal_device, journal_inode;
    RuntimeOptions options;
    const VmModel *model;
    CudaError fault; // of a kernel: every later call returns it
    bool is_fresh;   // it is of the launch of this very call
    bool is_told;    // a call has returned it
    Arena arena;     // lives as long as the process
    Module *modules;
    Str why;     // the last PTX could not be compiled; empty: none, or it was
    Slot *slots; // [slot_count], by number
    size_t slot_count, slot_capacity;
    CudaArray *arrays;
    CudaMipmap *mipmaps;
    TextureObjects objects;
    Numbers near, shared, far;  // of devices alone; of both; again of devices
    uint64_t used;              // bytes of the device
    size_t limits[LIMIT_COUNT]; // that the program has set; 0: the default
    CudaPool *default_pool, *pool; // NULL: nobody has asked for it, or set it
    struct Mapping *mappings;      // cuMemMap: api_virtual.c
    uint8_t *workspace;    // of a cooperative launch, and its address; NULL:
    uint64_t workspace_at; // there has been none
    Buf output;            // what kernels printed, until it is written
    ExecResult totals, counted; // counted: those that the journal has
    uint64_t requests, granted; // to cancel blocks, by the plain schedule
    Seen *seen;
    uint64_t seen_count;
    CudaStream *streams, *thread_stream; // all; cudaStreamPerThread
    uint64_t stream_count;
    struct Capture *captures; // that have begun and not ended: graph.h
    uint64_t capture_count;
};

// Of captures and of threads. The numbers are those of cudaStreamCaptureMode.
typedef enum CaptureMode {
    CAPTURE_GLOBAL,
    CAPTURE_THREAD,
    CAPTURE_RELAXED,
} CaptureMode;

// state.c
// Each function of the API is between these two. `name` is its own.
Runtime *runtime_enter(void);
CudaError runtime_leave(Runtime *r, const char *name, CudaError error);
// The same without an error to remember.
void runtime_exit(Runtime *r);
// All of a call that lacks an argument: CUDA_VALUE.
CudaError runtime_refuse(const char *name);
// The body of a function that does no more than `call`, which names the Runtime
// r; and of one of the driver's.
#define RETURN(name, call)                     \
    do {                                       \
        Runtime *r = runtime_enter();          \
        return runtime_leave(r, name, (call)); \
    } while (0)
#define DRIVER_RETURN(name, call)                                    \
    do {                                                             \
        Runtime *r = runtime_enter();                                \
        return runtime_driver_error(runtime_leave(r, name, (call))); \
    } while (0)
CudaError runtime_last_error(bool forget);
// A launch's shape between <<< and >>>, in this thread.
typedef struct RuntimeShape {
    CudaDim3 grid, block;
    size_t dynamic_smem;
    CudaStream *stream;
} RuntimeShape;
bool runtime_push(const RuntimeShape *shape);
bool runtime_pop(RuntimeShape *shape);
// What this thread may call while a stream is captured.
CaptureMode *runtime_capture_mode(void);
// Appends the record to the journal, and empties it.
void runtime_tell(Runtime *r, Buf *record);
void runtime_message(Runtime *r, DiagLevel level, const char *what,
                     const char *help);
// Tells what the process did since the last time; it ends.
void runtime_count(Runtime *r);
void runtime_end(Runtime *r);
// The program calls a function that is not supported.
CudaError runtime_missing(const char *name);
// Writes what kernels have printed, as a real device does when it is waited
// for.
void runtime_flush(Runtime *r);

// modules.c
// `image`: a fat binary, or PTX as text, which is copied.
Module *module_add(Runtime *r, const void *image);
// What a program has linked begins so; then each text of PTX, and an empty one.
#define MODULE_LINKED "\001clclab linked\n"
CudaError module_find_ptx(Runtime *r, const void *fatbin, Str *ptx);
CudaError module_refuse_machine_code(Runtime *r);
// At least 16 zeros stand behind the text.
CudaError module_read_file(Runtime *r, const char *path, Str *text);
// Reads and loads a file with one of these.
CudaError module_read(Runtime *r, Module **module, const char *path);
CudaKernel *module_add_kernel(Runtime *r, Module *module, const void *host,
                              Str name);
Variable *module_add_variable(Runtime *r, Module *module, const void *host,
                              Str name);
CudaError module_load(Runtime *r, Module *module);
// Of a module that is loaded; NULL: it has none.
CudaKernel *module_kernel_named(Runtime *r, Module *module, Str name);
// By the program's function, or by the handle itself.
CudaError module_find_kernel(Runtime *r, const void *host, CudaKernel **kernel);
CudaError module_find_variable(Runtime *r, const void *host,
                               Variable **variable);
// The address of byte `offset` of the program's variable, if `count` more are
// there.
CudaError module_symbol(Runtime *r, const void *symbol, size_t offset,
                        size_t count, void **address);
uint32_t module_arch(const Runtime *r); // 100: sm_100

// memory.c
CudaError memory_new(Runtime *r, SlotKind kind, size_t bytes, void **address);
CudaError memory_free(Runtime *r, void *address, bool is_host);
CudaError memory_register(Runtime *r, void *host, size_t bytes);
CudaError memory_unregister(Runtime *r, void *host);
// Memory that a graph's node allocates has its address from the start, and is
// parked until then. Freeing it parks it again, as long as there are such
// nodes. Sharing and dropping counts them.
CudaError memory_new_parked(Runtime *r, size_t bytes, void **address);
void memory_share_parked(Runtime *r, const void *address);
void memory_drop_parked(Runtime *r, const void *address);
CudaError memory_unpark(Runtime *r, const void *address);
void memory_park(Runtime *r, const void *address);
uint64_t memory_of_graphs(const Runtime *r); // bytes that are not parked
bool memory_is_there(const Slot *slot);
// Bytes from its start that copies and kernels find.
uint64_t memory_reach(const Slot *slot);
void memory_set_reach(Runtime *r, Slot *slot, uint64_t bytes);
// True if an address was the device's, or is behind the end of what is.
bool memory_was(const Runtime *r, const void *address);
// The slot that the address is in, which may be its end; NULL: it is in none.
Slot *memory_slot(Runtime *r, const void *address, uint64_t *offset);
// The slot of a registered place of the program; NULL: it is none.
Slot *memory_mapped(Runtime *r, const void *host, uint64_t *offset);
void *memory_address(const Runtime *r, const Slot *slot);
// A module's variable is memory too. False: there are no numbers left.
bool memory_adopt(Runtime *r, uint32_t number, uint8_t *bytes, uint64_t size);
// Where the variables of a module that has so many can begin; 0: nowhere.
uint32_t memory_reserve(Runtime *r, size_t count);
// Makes the variable's memory lie at the same address in the program.
bool memory_share(Runtime *r, uint32_t number);
// The host has written so much to the device, or has copied it there. Addresses
// of the program's own are ignored.
void memory_written(Runtime *r, const void *address, uint64_t count);
void memory_copied(Runtime *r, const void *to, const void *from,
                   uint64_t count);
// Frees all that the program has allocated and registered, and gives variables
// their first values. Arrays are freed before it (array_free_all).
void memory_reset(Runtime *r);
// Gives a new device all memory that there is.
void memory_show(Runtime *r, Device *device);

// copy.c
CudaError copy_bytes(Runtime *r, void *to, const void *from, size_t count,
                     CudaCopy kind);
CudaError copy_areas(Runtime *r, Area to, Area from, CudaExtent extent,
                     CudaCopy kind);
CudaError copy_fill(Runtime *r, Area to, int value, CudaExtent extent);
// Elements of 1, 2 or 4 bytes.
typedef struct Fill {
    Area to;
    uint32_t value; // of an element
    uint32_t element;
    CudaExtent extent; // elements, rows, planes
} Fill;
CudaError copy_fill_elements(Runtime *r, const Fill *fill);

// launch.c
typedef struct LaunchShape {
    CudaDim3 grid, block, cluster; // all 0: the kernel's own cluster
    size_t dynamic_smem;
    bool is_cooperative;
} LaunchShape;
void launch_take_attribute(const CudaLaunchAttribute *attribute,
                           LaunchShape *shape);
CudaError launch_kernel(Runtime *r, CudaKernel *kernel,
                        const LaunchShape *shape, void **args);
// The same in steps. The parameters are laid out in LAUNCH_MOST_PARAMETERS
// bytes; the result is how many they need, which may be more.
enum {
    LAUNCH_MOST_PARAMETERS = 32768,
    LAUNCH_MOST_ARGS = 4096, // parameters
};
CudaError launch_check(const Runtime *r, CudaKernel *kernel,
                       const LaunchShape *shape);
// False: one of them is NULL.
bool launch_has_args(const CudaKernel *kernel, void **args);
size_t launch_lay_out(const CudaKernel *kernel, void **args, uint8_t *block);
// The parameters, one by one, that the program has packed into a block itself:
// cuLaunchKernel's `extra`. `args` has LAUNCH_MOST_ARGS.
CudaError launch_unpack(const CudaKernel *kernel, void **extra, void **args);
CudaError launch_block(Runtime *r, CudaKernel *kernel, const LaunchShape *shape,
                       const uint8_t *block, size_t bytes);
// Blocks of that shape that an SM holds at a time.
uint32_t launch_fit(CudaKernel *kernel, uint32_t threads, size_t dynamic_smem);
uint32_t launch_static_shared(const CudaKernel *kernel); // bytes
uint32_t launch_most_threads(const CudaKernel *kernel);  // of a block

// api_error.c
const char *runtime_error_name(CudaError error);

// api_driver.c
// What the driver calls this error of the runtime's.
CudaError runtime_driver_error(CudaError error);

// schedules.c
// Runs the launch, which starts from the same memory, under other schedules,
// and puts back what the plain one has left. `before` is of before the plain
// one, which has taken so many steps, and so long.
typedef struct Snapshot Snapshot;
typedef struct PlainCost {
    uint64_t steps, nanoseconds;
} PlainCost;
uint64_t schedules_now(void); // nanoseconds
Snapshot *schedules_keep(Runtime *r, Device *device);
void schedules_run(Runtime *r, CudaKernel *kernel, const LaunchShape *shape,
                   DeviceLaunch *launch, Snapshot *before, PlainCost plain);

// finding.c
bool finding_is_error(const Finding *finding);
// By which a finding is known again, if it is told once more.
uint64_t finding_key(const CudaKernel *kernel, const Finding *finding);
// Whether the like was found at the same place of the kernel before.
bool finding_is_told(const Runtime *r, const CudaKernel *kernel,
                     const Finding *finding);
// Puts a finding of the launch that has just run into the journal. `schedule`
// showed it; 0: the plain one.
void finding_tell_one(Runtime *r, const CudaKernel *kernel,
                      const LaunchShape *shape, const Finding *finding,
                      uint64_t schedule);
// The same for all that the plain schedule showed.
void finding_tell(Runtime *r, const CudaKernel *kernel,
                  const LaunchShape *shape, const DeviceRun *run);

#endif
