// SPDX-License-Identifier: Apache-2.0
// What is said of what check/ judges itself: the checks of a lab, by check, and
// launches of no lab.
#include "words/catalogue.h"

#define EXPECTED_VALUE \
    "{element} = {wanted} (it was {held}; the prologue's value is {scalar})"
#define ACTUAL_VALUE "{element} = {found}"

#define WHAT_WRONG                                                       \
    "{count} of {elements} elements {count|is|are} wrong; the first is " \
    "{data}[{index}], of block {block}"

#define EXPECTED_ONCE "each block index from {first} to {last} exactly once"

#define HELP_REPEATED \
    "take the index from the answer of this iteration, and process it once"

#define HELP_FAR                                                              \
    "Smaller grids were right. Does each step from the index to the address " \
    "keep all of its bits? An int does; fewer bits, a half or a float do "    \
    "not, "                                                                   \
    "nor does a word that holds another number as well."

#define ASKS_FIXED "each block processes its own block index, blockIdx.x"
#define ASKS_PERSISTENT                                               \
    "a grid-stride loop: block b processes the block indices b, b + " \
    "gridDim.x, b + 2 * gridDim.x, ..., or larger pieces in the same turns"

#define WHAT_OTHER_WRITER                                                 \
    "block index {block} was processed by block {owner}, and not by the " \
    "lab's technique"

#define WHAT_REQUESTS \
    "the kernel made {requests} Cluster Launch Control requests"
#define HELP_REQUESTS \
    "solve this lab without try_cancel: a later one is about it"

#define WHAT_NO_STEAL "no block index was stolen, though blocks were pending"
#define EXPECTED_STEALS \
    "of {grid} blocks, {fit} fit on the device; the rest are stolen by them"
#define ACTUAL_STEALS "{started} blocks were started; {requests} requests"

#define HELP_EACH_ASKS                                                     \
    "ask in each block that is started, whatever its index: {try_cancel} " \
    "before the block's own work"

#define EXPECTED_PROLOGUE "the prologue once in each started block"
#define ACTUAL_PROLOGUE "{times} times in block {block}"

#define WHAT_PLAN                                                      \
    "{name} chose {chosen} {chosen|block|blocks} for n = {elements}, " \
    "threads_per_block = {threads}, sm_count = {sms}, blocks_per_sm = {fit}"
#define EXPECTED_PLAN \
    "blocks = {blocks}, that is n / threads_per_block rounded up"
#define EXPECTED_PERSISTENT                                                  \
    "blocks = {blocks}: the smaller of what fits on the device (sm_count * " \
    "blocks_per_sm) and n / threads_per_block rounded up"
#define ACTUAL_PLAN "blocks = {chosen}"
#define WHAT_NOT_SET "{name} set no number of blocks"
#define HELP_NOT_SET "return a LaunchPlan with its field blocks set"

#define HELP_SKIPPED "mend the failed check first"

#define WHAT_TOO_LARGE "the variable {name} is too large"
#define ACTUAL_SIZE "{size} bytes"

#define WHAT_NO_KERNEL "there is no kernel named {name}"
#define EXPECTED_KERNEL "extern \"C\" __global__ void {name}{form}"
#define ACTUAL_KERNELS "the file has {text}"
#define HELP_START_AGAIN \
    "start again from the lab's own file: its kernel has the right name"

#define WHAT_CLUSTER "{name} declares a cluster of {x} x {y} x {z} blocks"
#define EXPECTED_CLUSTER "__cluster_dims__({ctas}, 1, 1)"
#define ACTUAL_CLUSTER "__cluster_dims__({x}, {y}, {z})"
#define HELP_CLUSTER                                                   \
    "write __cluster_dims__({ctas}, 1, 1) between __global__ and the " \
    "kernel's name"

#define WHAT_THREADS "{name} cannot be launched with {threads} threads a block"
#define EXPECTED_THREADS "blocks of {x} x {y} x {z} threads"
#define HELP_THREADS "remove or correct __launch_bounds__ or __block_size__"

CASE_WORDS(ANY_CHECK_SKIPPED, .WHAT = "not judged, because {name} did not pass",
           .HELP = "mend {name} first");
CASE_WORDS(ANY_CHECK_SKIPPED_EARLIER,
           .WHAT = "not judged, because an earlier check did not pass",
           .HELP = "mend an earlier check first");
CASE_WORDS(
    ANY_CHECK_MESSAGE,
    .HELP = "correct this line first: later messages often follow from it");
CASE_WORDS(
    ANY_CHECK_DEVICE_SILENT, .WHAT = "the device refused without a reason",
    .HELP = "this is not the submission's fault: report it with the file");
CASE_WORDS(ANY_CHECK_WARNED, .WHAT = "the compiler warns of this: {text}",
           .HELP = "correct this first: what follows may come of it");
CASE_WORDS(ANY_CHECK_NEVER_SET,
           .WHAT = "{name} is declared without a value, and is used before "
                   "anything gives it one",
           .HELP = "give it a value where it is declared");
CASE_WORDS(ANY_CHECK_NOT_SHARED,
           .WHAT = "{name} is declared without __shared__: each thread has one "
                   "of its own, outside shared memory",
           .HELP = "write __shared__ before its type: the block has one then");
CASE_WORDS(ANY_CHECK_HIDDEN,
           .WHAT = "{name} is declared a second time in line {number}: what is "
                   "set there is not the variable of line {line}, and nothing "
                   "reads it",
           .HELP = "set {name} without a type in front of it: then it is the "
                   "variable of line {line}");
CASE_WORDS(ANY_CHECK_INDEX_SET_AGAIN,
           .WHAT = "{name} takes the index of the answer in line {number}, and "
                   "another value in line {line} before anything reads it",
           .HELP = "set {name} to that other value in front of line {number}, "
                   "or only where nothing was granted");
CASE_WORDS(ANY_CHECK_INDEX_UNUSED,
           .WHAT = "line {number} decodes the index of an answer, and left no "
                   "code: nothing uses what {name} gets there",
           .HELP =
               "make the next block's elements of it: is {name} the variable "
               "that the work reads, and is it read before it is set "
               "again?");
CASE_WORDS(ANY_CHECK_INDEX_NOT_KEPT,
           .WHAT = "line {number} decodes the index of an answer, and left no "
                   "code: nothing uses what it gives",
           .HELP = "make the next block's elements of it");
CASE_WORDS(ANY_CHECK_AXIS_LEFT_OUT,
           .WHAT =
               "no answer's index along {text} is used, though the grid has "
               "several blocks along it",
           .HELP = "take each index that the grid has from the answer, along "
                   "{text} too (get_first_ctaid): see which axis each line "
                   "names, and which variable it is given to");
CASE_WORDS(ANY_CHECK_NO_WAY_OUT,
           .WHAT = "no thread can leave the kernel: nothing leads out of its "
                   "loop, whatever an answer says",
           .HELP = "leave the loop where is_canceled says that nothing was "
                   "granted (break)");
CASE_WORDS(
    ANY_CHECK_OWN_ADDED,
    .WHAT = "the block's own blockIdx is added to the index of an answer, "
            "which names a block by itself",
    .HELP = "use the index that the answer gives as it is: blockIdx is that of "
            "the block which was started, whatever it works on now");
CASE_WORDS(
    ANY_CHECK_OWN_ADDED_FOR_RANK,
    .WHAT = "the block's own blockIdx is added to the index of an answer, "
            "where its rank in the cluster belongs",
    .HELP =
        "the answer names the first block of a cluster: add the rank of "
        "this block in its own, 0 or 1 in a cluster of two; blockIdx counts "
        "from the beginning of the grid");
CASE_WORDS(ANY_CHECK_NO_CODE,
           .WHAT = "the compiler kept no code of line {number}, and none other "
                   "that uses {name}",
           .HELP = "see whether the program can get there, with any value, "
                   "and whether what it stores can differ from what is there");
CASE_WORDS(ANY_CHECK_NO_CODE_OF_SAME,
           .WHAT =
               "line {number} stores what is there already: {name} was read "
               "from there in line {line}, and nothing has changed it since",
           .HELP = "compute the new value of {name} in front of line {number}");
CASE_WORDS(ANY_CHECK_NO_CODE_OF_LOOP,
           .WHAT = "line {number} left no code: a loop that never ends may be "
                   "removed, and {name} with it",
           .HELP = "let the loop's body change what its condition looks at");
CASE_WORDS(BUILDS_UNDEFINED,
           .WHAT = "the function {name} is called but not defined",
           .HELP = "define it in this file: it is compiled and run alone");
CASE_WORDS(BUILDS_SHARED_SIZE, .WHAT = WHAT_TOO_LARGE,
           .EXPECTED = "at most {limit} bytes: no block has more shared memory",
           .ACTUAL = ACTUAL_SIZE, .HELP = "make the array smaller");
CASE_WORDS(
    BUILDS_GLOBAL_SIZE, .WHAT = WHAT_TOO_LARGE,
    .EXPECTED = "at most {limit} bytes of __device__ variables in a file",
    .ACTUAL = ACTUAL_SIZE,
    .HELP = "make the array smaller, or use the data "
            "that the kernel is given");
CASE_WORDS(
    BUILDS_CONSTANT_SIZE, .WHAT = WHAT_TOO_LARGE,
    .EXPECTED = "at most {limit} bytes of __constant__ variables in a file",
    .ACTUAL = ACTUAL_SIZE, .HELP = "make it a __device__ array");
CASE_WORDS(BUILDS_LOCAL_SIZE,
           .WHAT = "the local variables of a thread in {name} are too large",
           .EXPECTED = "at most {limit} bytes: no thread has more local memory",
           .ACTUAL = ACTUAL_SIZE, .HELP = "make the arrays smaller");
CASE_WORDS(
    BUILDS_SILENT, .WHAT = "the file does not compile",
    .HELP = "the compiler did not say why: try nvcc -arch=sm_100a -c on it");
CASE_WORDS(SIGNATURE_MANGLED, .WHAT = WHAT_NO_KERNEL,
           .EXPECTED = EXPECTED_KERNEL, .ACTUAL = ACTUAL_KERNELS,
           .HELP = "its name is mangled as C++: put extern \"C\" before "
                   "__global__");
CASE_WORDS(SIGNATURE_OTHER_NAME, .WHAT = WHAT_NO_KERNEL,
           .EXPECTED = EXPECTED_KERNEL, .ACTUAL = ACTUAL_KERNELS,
           .HELP = "rename {text}");
CASE_WORDS(SIGNATURE_OTHER_NAMES, .WHAT = WHAT_NO_KERNEL,
           .EXPECTED = EXPECTED_KERNEL, .ACTUAL = ACTUAL_KERNELS,
           .HELP = HELP_START_AGAIN);
CASE_WORDS(SIGNATURE_NO_KERNEL, .WHAT = WHAT_NO_KERNEL,
           .EXPECTED = EXPECTED_KERNEL, .ACTUAL = "the file has no kernel",
           .HELP = HELP_START_AGAIN);
CASE_WORDS(SIGNATURE_PARAMETERS,
           .WHAT = "the parameters of {name} are not the lab's",
           .EXPECTED = "in PTX {text}", .ACTUAL = "{params}",
           .HELP = "keep the signature of the lab's own file: {form}");
CASE_WORDS(SIGNATURE_NO_CLUSTER, .WHAT = "{name} declares no cluster size",
           .EXPECTED = EXPECTED_CLUSTER, .ACTUAL = "no cluster size",
           .HELP = HELP_CLUSTER);
CASE_WORDS(SIGNATURE_OTHER_CLUSTER, .WHAT = WHAT_CLUSTER,
           .EXPECTED = EXPECTED_CLUSTER, .ACTUAL = ACTUAL_CLUSTER,
           .HELP = HELP_CLUSTER);
CASE_WORDS(SIGNATURE_NEEDLESS_CLUSTER, .WHAT = WHAT_CLUSTER,
           .EXPECTED = "no cluster size, or 1", .ACTUAL = ACTUAL_CLUSTER,
           .HELP = "remove __cluster_dims__: this lab has no clusters");
CASE_WORDS(SIGNATURE_FEWER_THREADS, .WHAT = WHAT_THREADS,
           .EXPECTED = EXPECTED_THREADS,
           .ACTUAL = "at most {limit} threads a block", .HELP = HELP_THREADS);
CASE_WORDS(SIGNATURE_OTHER_THREADS, .WHAT = WHAT_THREADS,
           .EXPECTED = EXPECTED_THREADS, .ACTUAL = "exactly {text} threads",
           .HELP = HELP_THREADS);
CASE_WORDS(SIGNATURE_OTHER_HEADER,
           .WHAT = "the file does not include lab.h as it is",
           .HELP = "put #include \"lab.h\" at the top, and keep its names "
                   "(compute_scalar, clclab_...) as they are");
CASE_WORDS(SIGNATURE_NO_PLAN, .WHAT = "{name} is declared but not defined",
           .EXPECTED = "__device__ LaunchPlan launch_plan(LaunchQuery q)",
           .HELP = "define it: it chooses the number of blocks of the launch");
CASE_WORDS(RULES_NO_ROOM, .WHAT = "no block of {name} fits on an SM of {text}",
           .HELP = "use less __shared__ memory");
CASE_WORDS(RULES_ROOM_NOT_KNOWN,
           .WHAT = "the GPU's driver did not say how many blocks fit on an SM",
           .HELP = "Try again later. clclab doctor says what there is.");
CASE_WORDS(RULES_STOPPED, .WHAT = "the kernel was stopped",
           .HELP = "look for an invalid access or a trap");
CASE_WORDS(RULES_WAITS, .WHAT = "the kernel waits for ever",
           .HELP = "look for a barrier that not all reach");
CASE_WORDS(RULES_STEP_LIMIT, .WHAT = "the kernel reached the step limit",
           .HELP = "look for a loop that never ends");
CASE_WORDS(
    RULES_TIME_LIMIT,
    .WHAT = "judging the kernel took more than {limit} s of processor time, "
            "and was ended ({text}): it could not be judged here",
    .HELP = "that says nothing about whether it is right. The kernels of this "
            "course take about a second: look for what this one does a "
            "million times more often than it has to");
CASE_WORDS(
    RULES_MEMORY_LIMIT,
    .WHAT = "judging the kernel took more than {limit} MiB of memory, and was "
            "ended in {text}",
    .HELP = "the kernels of this course take a few MiB: look for large arrays "
            "that are touched everywhere, and for memory that is allocated "
            "and never freed");
CASE_WORDS(RULES_NO_SECRET, .WHAT = "{name} cannot be set",
           .HELP = "include lab.h of this version of the labs");
CASE_WORDS(RULES_NO_SCALAR, .WHAT = "{name}() gave another value than lab.h's",
           .HELP = HELP_SCALAR);
CASE_WORDS(LAUNCH_PLAN_NOT_SET, .WHAT = WHAT_NOT_SET, .EXPECTED = EXPECTED_PLAN,
           .ACTUAL = ACTUAL_PLAN, .HELP = HELP_NOT_SET);
CASE_WORDS(LAUNCH_PLAN_NOT_SET_PERSISTENT, .WHAT = WHAT_NOT_SET,
           .EXPECTED = EXPECTED_PERSISTENT, .ACTUAL = ACTUAL_PLAN,
           .HELP = HELP_NOT_SET);
CASE_WORDS(LAUNCH_PLAN_OTHER_NUMBER, .WHAT = WHAT_PLAN,
           .EXPECTED = EXPECTED_PLAN, .ACTUAL = ACTUAL_PLAN,
           .HELP = "one thread an element: (q.n + q.threads_per_block - 1) / "
                   "q.threads_per_block");
CASE_WORDS(LAUNCH_PLAN_ROUNDED_DOWN, .WHAT = WHAT_PLAN,
           .EXPECTED = EXPECTED_PLAN, .ACTUAL = ACTUAL_PLAN,
           .HELP =
               "round up, so that the elements behind the last full block have "
               "a block too");
CASE_WORDS(
    LAUNCH_PLAN_PERSISTENT, .WHAT = WHAT_PLAN, .EXPECTED = EXPECTED_PERSISTENT,
    .ACTUAL = ACTUAL_PLAN,
    .HELP = "Two numbers: what fits, q.sm_count * q.blocks_per_sm, and q.n / "
            "q.threads_per_block rounded up. Take the smaller one.");
CASE_WORDS(LAUNCH_PLAN_ONE_FOR_NOTHING,
           .WHAT = "{name} chose {chosen} {chosen|block|blocks} for n = 0",
           .EXPECTED = "blocks = 0: nothing is launched", .ACTUAL = ACTUAL_PLAN,
           .HELP = "The block would run the prologue for nothing. The host "
                   "leaves the launch out where the plan has no block.");
CASE_WORDS(LAUNCH_PLAN_NEVER_ENDS, .WHAT = "{name} did not come to an end",
           .HELP = "look for a loop that never ends");
CASE_WORDS(CORRECT_NOTHING_TO_COMPARE,
           .WHAT = "no block was processed exactly once: there is nothing to "
                   "compare",
           .HELP = HELP_SKIPPED);
CASE_WORDS(CORRECT_NO_CHANGE, .WHAT = "the kernel changed no element of {data}",
           .EXPECTED = EXPECTED_VALUE, .ACTUAL = ACTUAL_VALUE,
           .HELP = "do this with each element that a block owns: {text}");
CASE_WORDS(
    CORRECT_INPUT_CHANGED, .WHAT = "the kernel changed elements of {name}",
    .HELP = "the parameter {name} is for reading: store to {data} alone");
CASE_WORDS(CORRECT_LEFT_OUT, .WHAT = WHAT_WRONG, .EXPECTED = EXPECTED_VALUE,
           .ACTUAL = ACTUAL_VALUE,
           .HELP =
               "It holds what it held before. Check which elements the kernel "
               "processes: {owns}.");
CASE_WORDS(CORRECT_LAST_LEFT_OUT, .WHAT = WHAT_WRONG,
           .EXPECTED = EXPECTED_VALUE, .ACTUAL = ACTUAL_VALUE,
           .HELP =
               "It holds what it held before, and it is the last one. Is the "
               "bound i < n?");
CASE_WORDS(CORRECT_ONE_THREAD, .WHAT = WHAT_WRONG, .EXPECTED = EXPECTED_VALUE,
           .ACTUAL = ACTUAL_VALUE,
           .HELP =
               "It holds what it held before. Each of these is the element of "
               "thread {number} of its block, and the others are right: does "
               "that thread do its share of the work as well?");
CASE_WORDS(CORRECT_OTHER_THREADS, .WHAT = WHAT_WRONG,
           .EXPECTED = EXPECTED_VALUE, .ACTUAL = ACTUAL_VALUE,
           .HELP =
               "It holds what it held before. Only the elements of thread "
               "{number} of each block are right: the others store nothing to "
               "theirs. Does a condition or a return keep them from the store, "
               "and is what this thread knows (the index) known to them?");
CASE_WORDS(CORRECT_TAIL_LEFT_OUT, .WHAT = WHAT_WRONG,
           .EXPECTED = EXPECTED_VALUE, .ACTUAL = ACTUAL_VALUE,
           .HELP =
               "All from {data}[{index}] on hold what they held before, and "
               "those in front are right: the last round of a loop, or the "
               "last block, is left out. What bounds the index has to be "
               "i < n, and no more");
CASE_WORDS(CORRECT_REPEATED, .WHAT = WHAT_WRONG, .EXPECTED = EXPECTED_VALUE,
           .ACTUAL = ACTUAL_VALUE,
           .HELP =
               "It was processed {times} times. Do two threads share an index? "
               "Check which elements the kernel processes: {owns}.");
CASE_WORDS(CORRECT_NOT_A_NUMBER, .WHAT = WHAT_WRONG, .EXPECTED = EXPECTED_VALUE,
           .ACTUAL = ACTUAL_VALUE,
           .HELP = "It is not a number. Is a variable used before it is set?");
CASE_WORDS(
    CORRECT_OTHER_FACTOR, .WHAT = WHAT_WRONG, .EXPECTED = EXPECTED_VALUE,
    .ACTUAL = ACTUAL_VALUE,
    .HELP = "Each of these was multiplied by {factor}. The factor is what "
            "compute_scalar() returns, which is {scalar} in this run: is that "
            "value used?");
CASE_WORDS(CORRECT_OTHER_VALUE, .WHAT = WHAT_WRONG, .EXPECTED = EXPECTED_VALUE,
           .ACTUAL = ACTUAL_VALUE,
           .HELP = "do this with each element once, and nothing else: {text}");
CASE_WORDS(EXACTLY_ONCE_NOTHING_DONE, .WHAT = "no block processed anything",
           .HELP = HELP_SKIPPED);
CASE_WORDS(
    EXACTLY_ONCE_NEVER,
    .WHAT = "{never} of {blocks} block indices {never|was|were} not processed "
            "(first: block {block})",
    .EXPECTED = EXPECTED_ONCE, .ACTUAL = "never: {missed}",
    .HELP = "Process the block's own index first, then that of each granted "
            "answer. A refusal ends the asking; what was granted before is "
            "still to be done.");
CASE_WORDS(EXACTLY_ONCE_REPEATED,
           .WHAT =
               "{often} of {blocks} block indices {often|was|were} processed "
               "more than once (first: block {again})",
           .EXPECTED = EXPECTED_ONCE, .ACTUAL = "repeated: {repeated}",
           .HELP = HELP_REPEATED);
CASE_WORDS(
    EXACTLY_ONCE_BOTH,
    .WHAT = "not all of {blocks} block indices were processed exactly once: "
            "{never} never (first: block {block}), {often} several times "
            "(first: block {again})",
    .EXPECTED = EXPECTED_ONCE,
    .ACTUAL = "never: {missed}; repeated: {repeated}", .HELP = HELP_REPEATED);
CASE_WORDS(CORRECT_FAR,
           .WHAT = "{count} of the elements that were looked at in a grid of "
                   "{grid} blocks {count|is|are} wrong; the first is "
                   "{element}, of block {name}",
           .EXPECTED = EXPECTED_VALUE, .ACTUAL = ACTUAL_VALUE,
           .HELP = HELP_FAR);
CASE_WORDS(
    EXACTLY_ONCE_FAR,
    .WHAT = "{count} of the {blocks} blocks that were looked at in a grid of "
            "{grid} {count|was|were} not processed",
    .EXPECTED = "each of them exactly once", .ACTUAL = "never: {far}",
    .HELP = HELP_FAR);
CASE_WORDS(
    EXACTLY_ONCE_FAR_TURNS,
    .WHAT = "{count} of the {blocks} blocks that were looked at in a grid of "
            "{grid} did not process each of {count|its|their} elements, and no "
            "other",
    .EXPECTED = "a grid-stride loop, as block 0 does it",
    .ACTUAL = "not so: {far}", .HELP = HELP_FAR);
CASE_WORDS(
    EXACTLY_ONCE_ELEMENTS,
    .WHAT = "{count} of {elements} elements {count|was|were} processed more "
            "than once; the first is {data}[{index}], of block {block}",
    .EXPECTED = "each element exactly once",
    .ACTUAL = "repeated: elements {ranges}",
    .HELP = "Each element belongs to one thread of one block, however many of "
            "them an access takes at once. Where does one loop end, and the "
            "next begin?");
CASE_WORDS(
    EXACTLY_ONCE_DIVIDED,
    .WHAT = "the elements of {often} of {blocks} block indices were processed "
            "once, but by more than one block (first: block {again})",
    .EXPECTED = "each block index from {first} to {last} by one block",
    .ACTUAL = "by several: {divided}",
    .HELP = "A block index is one piece of work, and the block that does it "
            "does all of it. Cut the shares of the blocks where these pieces "
            "begin.");
CASE_WORDS(TECHNIQUE_FIXED, .WHAT = WHAT_OTHER_WRITER, .EXPECTED = ASKS_FIXED,
           .HELP = "compute the index once, from blockIdx.x, blockDim.x and "
                   "threadIdx.x");
CASE_WORDS(TECHNIQUE_PERSISTENT, .WHAT = WHAT_OTHER_WRITER,
           .EXPECTED = ASKS_PERSISTENT,
           .HELP =
               "start at blockIdx.x * blockDim.x + threadIdx.x and advance by "
               "gridDim.x * blockDim.x");
CASE_WORDS(
    TECHNIQUE_DIVIDED,
    .WHAT = "the elements of block index {block} were each processed once, "
            "but by more than one block, such as block {owner}, and not by "
            "the lab's technique",
    .EXPECTED = ASKS_PERSISTENT,
    .HELP = "start at blockIdx.x * blockDim.x + threadIdx.x and advance by "
            "gridDim.x * blockDim.x: so a block index is one piece of work, "
            "and the block that does it does all of it");
CASE_WORDS(
    TECHNIQUE_STEALS, .WHAT = WHAT_OTHER_WRITER,
    .EXPECTED = "a block processes its own block index, and those that its "
                "requests were granted",
    .HELP = "get further indices from try_cancel's answers only: no atomic "
            "counter, no stride");
CASE_WORDS(TECHNIQUE_FIXED_REQUESTS, .WHAT = WHAT_REQUESTS,
           .EXPECTED = ASKS_FIXED, .HELP = HELP_REQUESTS);
CASE_WORDS(TECHNIQUE_PERSISTENT_REQUESTS, .WHAT = WHAT_REQUESTS,
           .EXPECTED = ASKS_PERSISTENT, .HELP = HELP_REQUESTS);
CASE_WORDS(TECHNIQUE_NO_GRANT, .WHAT = WHAT_NO_STEAL,
           .EXPECTED = EXPECTED_STEALS, .ACTUAL = ACTUAL_STEALS,
           .HELP =
               "each block must ask again after a grant, until it is refused, "
               "and while blocks are still pending");
CASE_WORDS(
    TECHNIQUE_NO_REQUEST, .WHAT = WHAT_NO_STEAL, .EXPECTED = EXPECTED_STEALS,
    .ACTUAL = ACTUAL_STEALS,
    .HELP = "ask for a pending block with {try_cancel} before the block's own "
            "work");
CASE_WORDS(TECHNIQUE_NO_MULTICAST_REQUEST, .WHAT = WHAT_NO_STEAL,
           .EXPECTED = EXPECTED_STEALS, .ACTUAL = ACTUAL_STEALS,
           .HELP = "ask for a pending cluster, for all blocks of yours "
                   "({multicast}), before the block's own work");
CASE_WORDS(TECHNIQUE_NEVER_ASKED,
           .WHAT = "block {block} never asked for a pending block",
           .EXPECTED = EXPECTED_STEALS, .ACTUAL = ACTUAL_STEALS,
           .HELP = HELP_EACH_ASKS);
CASE_WORDS(TECHNIQUE_CLUSTER_NEVER_ASKED,
           .WHAT = "the cluster of block {block} never asked for a pending one",
           .EXPECTED = EXPECTED_STEALS, .ACTUAL = ACTUAL_STEALS,
           .HELP = HELP_EACH_ASKS);
CASE_WORDS(TECHNIQUE_FEW_IN_FLIGHT,
           .WHAT = "no block had {limit} requests in flight at once: at most "
                   "{requests}",
           .EXPECTED = "{limit} requests of a block under way at once",
           .ACTUAL = "{requests}",
           .HELP =
               "make {limit} requests, each with a slot of its own, before any "
               "thread waits for an answer");
CASE_WORDS(
    TECHNIQUE_FEWER_IN_FLIGHT,
    .WHAT = "block {block} never had {limit} requests in flight at once, "
            "though it stole {stolen} {stolen|block|blocks}",
    .EXPECTED = "{limit} requests under way at once, in each block",
    .ACTUAL = "{requests} at most in block {block}",
    .HELP = "make {limit} requests, each with a slot of its own, before any "
            "thread waits for an answer, in each round of each block");
CASE_WORDS(
    TECHNIQUE_NOT_BALANCED,
    .WHAT = "the work is not balanced: in modelled time the last place for a "
            "block ends at {ratio}% of the places' mean end, reckoned from the "
            "last 80 block indices, in the mean of {count} secret problems of "
            "{blocks}",
    .EXPECTED = "at most {limit}%", .ACTUAL = "{ratio}%",
    .HELP = "An index that is granted is a promise to process it. Ask for "
            "the next one when it is about to be needed, and not long "
            "before.");
CASE_WORDS(
    TECHNIQUE_DOES_NOT_YIELD,
    .WHAT = "a kernel of higher priority that arrives at modelled cycle "
            "{cycle} waits {cycles} cycles for the device, the longest of "
            "{count} arrivals",
    .EXPECTED = "at most {limit}% of the mean time of a block index",
    .ACTUAL = "{ratio}%",
    .HELP = "When a request is refused, finish what was granted, and exit. "
            "What was granted and not begun is what the other kernel waits "
            "for: keep it short.");
CASE_WORDS(TECHNIQUE_SLEEPS,
           .WHAT = "a thread sleeps after it has read a refusal, while no "
                   "request is under way",
           .EXPECTED = "what was granted is done, and the block exits",
           .HELP = "Leave the sleep out: the place is another kernel's as soon "
                   "as the block has exited, and not before.");
CASE_WORDS(
    TECHNIQUE_NO_TIME, .WHAT = "the device models no time",
    .HELP = "this is not the submission's fault: report it with the file");
CASE_WORDS(
    TECHNIQUE_NOT_OWN_ASM,
    .WHAT = "{name} comes from a header, not from an asm statement of this "
            "file",
    .EXPECTED = "requests, waits and decoding in asm statements of your own",
    .HELP = "write the instruction as an asm statement: this lab is about "
            "what the library's functions are made of");
CASE_WORDS(
    TECHNIQUE_FORBIDDEN, .WHAT = "this lab is done without {name}",
    .HELP = "write what it does yourself: lab.conf's key forbid has the list "
            "of names");
CASE_WORDS(TECHNIQUE_OUTSIDE_REGIONS,
           .WHAT = "outside its regions this file is not the lab's {name}",
           .EXPECTED = "changes between BEGIN and END lines only",
           .HELP =
               "write between the BEGIN and END lines, and leave the rest as "
               "the lab has it");
CASE_WORDS(
    PROLOGUE_NEVER, .WHAT = "block {block} never called compute_scalar()",
    .EXPECTED = EXPECTED_PROLOGUE, .ACTUAL = ACTUAL_PROLOGUE,
    .HELP = "call it once in each started block, before the block's work");
CASE_WORDS(
    PROLOGUE_NEVER_IN_CLUSTER,
    .WHAT = "no block of the cluster of block {block} called compute_scalar()",
    .EXPECTED = "at least one of the {ctas} blocks of each started cluster "
                "calls it",
    .ACTUAL = "none of them called it",
    .HELP = "call it in each started block, before the block's work, or in "
            "one block of the cluster, from which the others read its value");
CASE_WORDS(
    PROLOGUE_REPEATED,
    .WHAT = "a thread of block {block} called compute_scalar() {times} times",
    .EXPECTED = "each thread calls it once at most", .ACTUAL = ACTUAL_PROLOGUE,
    .HELP = "call it once, before the loop over block indices, and keep its "
            "value");
CASE_WORDS(
    PROLOGUE_LATE,
    .WHAT = "block {block} called compute_scalar() again, after a second block "
            "index had been taken",
    .EXPECTED = "no call once the block has called it and has taken a second "
                "index",
    .ACTUAL = "{times} {times|call|calls} after that",
    .HELP = "the prologue is paid once a block, and not once an index. Call "
            "it before the loop over block indices and keep its value, in a "
            "register of each thread or in shared memory");
CASE_WORDS(
    PROLOGUE_SECRET,
    .WHAT = "clclab_secret is used here, and not through compute_scalar()",
    .EXPECTED = "the prologue's value comes from compute_scalar()",
    .ACTUAL = "what it is computed from is used directly",
    .HELP = "call compute_scalar(): it stands for work that a block cannot do "
            "without, and it is costly on purpose");
CASE_WORDS(
    PROLOGUE_MANY_STARTED,
    .WHAT = "{started} blocks were started, and each paid for the prologue",
    .EXPECTED = "at most {fit}: as many as fit on the device",
    .ACTUAL = "{started} started, {stolen} stolen",
    .HELP = "blocks should go on stealing until they are refused, so that no "
            "pending block needs to be started");
CASE_WORDS(
    PROLOGUE_STOPPED_ASKING,
    .WHAT = "{started} blocks were started, and each paid for the prologue: "
            "block {owner} left the kernel here, and no request of it had "
            "been refused",
    .EXPECTED = "at most {fit}: as many as fit on the device",
    .ACTUAL = "{started} started, {stolen} stolen",
    .HELP = "only a refusal ends the asking: ask again after each grant. What "
            "is left in the queue when a block leaves has to be started");
CASE_WORDS(DEVICE_NOT_BUILT,
           .WHAT = "not run on the GPU, because the file does not build",
           .HELP = "mend builds first");
CASE_WORDS(
    LAUNCH_MEMORY,
    .WHAT = "what the launch leaves in memory depends on the schedule: an "
            "allocation of {size} bytes ends with other bytes in {schedule} "
            "than in the plain one",
    .EXPECTED = "the same bytes in every schedule, unless the order is free",
    .ACTUAL = "first at byte {offset}: {was} in the plain schedule, {now} in "
              "{schedule}; {count} of {words} words differ",
    .HELP = "Look for a race, and for work done twice or never. A list that is "
            "filled in any order, or floats that are added up in any order, "
            "may be right all the same.");
CASE_WORDS(
    LAUNCH_OUTPUT,
    .WHAT = "the output depends on the schedule: the buffer of --arg {name} "
            "(numbered from 0) ends with other bytes in {schedule} than in "
            "the plain one",
    .EXPECTED = "the same bytes in every schedule, unless the order is free",
    .ACTUAL = "first at byte {offset}: {was} in the plain schedule, {now} in "
              "{schedule}; {count} of {words} {text} differ",
    .HELP = "Look for work done twice or never, and for a race. Where it is "
            "right, as for a list that is filled in any order, say so behind "
            "the buffer's size: :any, or :close=1e-5 for floats that are "
            "added up in any order.");

ALL_CASE_WORDS(words_judged, JUDGED_CASES);
