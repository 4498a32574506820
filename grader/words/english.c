// SPDX-License-Identifier: Apache-2.0
// The English edition: reasons, single words, and the texts that all findings
// share. The rules' cases are in the files of their families, places in
// places.c, what is wrong by its reason in roots.c.
#include "words/catalogue.h"

#define MISSING_ARRIVAL \
    "an arrival behind the earlier access, for which the later thread waits"

static const ReasonWords reasons[FINDING_REASON_COUNT] = {
    [REASON_BEGAN_WITH_PARITY_1] =
        {.missing = "a wait for the phase of this answer: the reader waited "
                    "for one that was over",
         .help = "begin with parity 0: a wait for parity 1 is over at once as "
                 "long as no phase has completed"},
    [REASON_PARITY_NOT_FLIPPED] =
        {.missing = "a wait for the phase of this answer: the reader waited "
                    "for one that was over",
         .help = "flip the parity (phase ^= 1) after the wait, once for each "
                 "phase: the reader's wait was over at once, because it had "
                 "passed the phase of that parity before"},
    [REASON_ANOTHER_BLOCK_ASKED] =
        {.help = "let one thread of the whole cluster ask: the answer to a "
                 "multicast request comes to every block of it"},
    [REASON_ANOTHER_THREAD_ASKED] =
        {.help = "let one thread ask (thread_rank() == 0, invoke_one), or give "
                 "each thread that asks a slot of its own"},
    [REASON_SEVERAL_ARRIVE] =
        {.help = "let one thread of the block arrive here: an answer, or a "
                 "copy, brings its bytes once. Only if each of them asks for "
                 "one of its own, give {init} their number as its count"},
    [REASON_EACH_ROW_ARRIVES] =
        {.help = "let one thread of the block arrive: threadIdx.x == 0 holds "
                 "in each row of it, thread_rank() == 0 in one thread"},
    [REASON_NULL_POINTER] = {.help = "the pointer is null"},
    [REASON_ADDRESS_OF_SHARED] =
        {.help = "the pointer is null; or, in PTX, this is an address of "
                 "shared memory in 32 bits: name its space (.shared::cta), "
                 "without which an address is generic and has 64"},
    [REASON_HOST_POINTER] =
        {.help = "this is memory of the host, as malloc, new and variables "
                 "have it: give the kernel memory of cudaMalloc, and copy with "
                 "cudaMemcpy, or memory of cudaMallocManaged, which both use "
                 "(of cudaHostRegister: the address that "
                 "cudaHostGetDevicePointer gives)"},
    [REASON_NULL_FUNCTION] = {.help = "the function pointer is null"},
    [REASON_NOT_COOPERATIVE] =
        {.help = "a grid that synchronises has to be launched for it, with "
                 "cudaLaunchCooperativeKernel (clclab run: --cooperative)"},
    [REASON_ANSWER_NOT_ANNOUNCED] =
        {.help = "an answer brings 16 bytes to each block that receives it: in "
                 "each of them one thread announces 16 bytes for each request, "
                 "at its own block's mbarrier ({arrive_expect_tx})"},
    [REASON_COPY_NOT_ANNOUNCED] =
        {.help = "announce a copy's bytes in the phase that waits for them: "
                 "{arrive_expect_tx} with their number"},
    [REASON_NOT_MULTICAST] =
        {.help = "the request of the neighbour was for itself alone: ask by "
                 "multicast ({multicast}), or announce no bytes where no "
                 "answer comes"},
    [REASON_NO_ANSWER_BRINGS_BYTES] =
        {.help = "announce what the answers bring, and no more: "
                 "{arrive_expect_tx} of 16 bytes for each request, in each "
                 "block that receives it"},
    [REASON_NOTHING_BRINGS_BYTES] =
        {.help = "nothing that is under way brings these bytes: announce a "
                 "copy's own size, or 16 for each request, in each block that "
                 "receives it; and see that it is issued"},
    [REASON_MORE_ANNOUNCED] =
        {.help = "copies have brought bytes in this phase, and fewer than were "
                 "announced: announce the bytes of all that are issued, and no "
                 "more, or see which copy is missing"},
    [REASON_FEWER_ANNOUNCED] =
        {.missing = "bytes that are announced, so that the phase waits for "
                    "this operation",
         .help = "fewer bytes are announced than the copies bring, so that the "
                 "phase was complete before all of them had come. Announce the "
                 "bytes of all copies that the phase is to wait for, in front "
                 "of the wait ({arrive_expect_tx})"},
    [REASON_NEVER_ASKED] =
        {.help =
             "nothing that is under way brings these bytes, and no thread of "
             "the block or its cluster has asked: make the request before "
             "anybody waits for its answer, and announce 16 bytes for it in "
             "each block that receives it. For a copy announce its size, "
             "and issue it"},
    [REASON_SOME_DO_NOT_ARRIVE] =
        {.help = "see that all arrive in each phase: some may wait elsewhere, "
                 "or have left; or give {init} as its count the number of "
                 "those that do"},
    [REASON_GONE_PAST_ARRIVAL] =
        {.help = "let every warp that the phase is made for come to the "
                 "arrival; only if some of them have nothing to do there, give "
                 "{init} as its count the number of those that have"},
    [REASON_EXPECTS_WITHOUT_ARRIVAL] =
        {.help = "an expect_tx alone announces bytes and does not arrive: use "
                 "{arrive_expect_tx}"},
    [REASON_NOBODY_HAS_ARRIVED] =
        {.help = "nobody has arrived yet. If those who should wait for this "
                 "thread, the slot is empty at first: begin with parity 1, "
                 "which is over at once"},
    [REASON_WRONG_PARITY] =
        {.help = "check the parity: it begins with 0 and flips (phase ^= 1) "
                 "once for each phase of this mbarrier, however many waits use "
                 "the same variable. Then see who arrives in this phase, and "
                 "where that thread waits"},
    [REASON_POLLS] =
        {.help =
             "its loop polls memory that does not change: see who is to "
             "change it, and whether that thread has left, or waits itself, "
             "perhaps for this one"},
    [REASON_BLOCKS_PENDING] =
        {.help = "blocks start in any order, and no more of them than there is "
                 "room for: let a block wait only for one that is known to "
                 "have started, as it has taken a number before"},
    [REASON_ELEMENT_NOT_WRITTEN] =
        {.help = "check the index against what has been written: a loop may go "
                 "one too far, or begin where nothing is held yet. Only if all "
                 "elements are to begin with a value, give the array one "
                 "(int a[4] = {})"},
    [REASON_GAVE_UP] =
        {.help = "poll until the wait says that the phase is complete, in a "
                 "loop that nothing else ends: however many polls, or ticks "
                 "of a clock, a thread waits, the answer, copy or arrival may "
                 "come later"},
    [REASON_PARITY_FLIPPED_EARLY] =
        {.missing = "a wait for the present phase: the one that was waited for "
                    "was over",
         .help =
             "this mbarrier has completed no phase yet, and a wait for "
             "parity 1 is over at once: flip the parity once for each phase "
             "of this mbarrier. With several slots in turn that is once a "
             "round of all of them"},
    [REASON_PARITY_AHEAD] =
        {.help = "The phase before the one that is waited for is complete, and "
                 "this thread has not waited for it: its parity is one phase "
                 "ahead of this mbarrier. It flips (phase ^= 1) once for each "
                 "phase of this mbarrier, however many waits use the same "
                 "variable."},
    [REASON_PARITY_KEPT] =
        {.help = "The last wait of this thread here was for the same parity. "
                 "Flip the parity (phase ^= 1) once for each phase of this "
                 "mbarrier, and wait for each: two flips between two waits, or "
                 "one of another mbarrier's variable or bit, leave it as it "
                 "was."},
    [REASON_COUNT_TOO_SMALL] =
        {.help = "A phase is complete with the number of arrivals that {init} "
                 "names. If all who arrive have to come before the next use, "
                 "give it their number."},
    [REASON_ANOTHER_SLOT] =
        {.missing = "a read of the slot whose answer was awaited",
         .help = "let the mbarrier that is waited at and the slot that is read "
                 "have the same number"},
    [REASON_NOBODY_WAITS] =
        {.missing = "a wait of the thread that asks, at the mbarrier where the "
                    "readers arrive",
         .help = "let the thread that asks wait, in front of the request, at "
                 "the mbarrier where those who have read the slot arrive"},
    [REASON_ONE_FOR_ALL_SLOTS] =
        {.missing = "an arrival at the mbarrier of the slot that was read",
         .help = "let the mbarrier at which a reader arrives have the number "
                 "of the slot that it has read"},
    [REASON_NOT_AMONG_ARRIVED] =
        {.missing = "an arrival behind the read, in the phase that the asking "
                    "thread waits for",
         .help = "Let each thread that reads arrive there behind its reads, or "
                 "meet one that arrives (__syncwarp()), and give {init} the "
                 "number of these arrivals, of all blocks that read."},
    [REASON_APART] =
        {.missing = "an arrival behind the first access, for which the thread "
                    "of the second one waits",
         .help =
             "The two are in branches that different threads take, one of them "
             "a loop: no barrier of all threads has a place there. Let the "
             "first thread arrive at an mbarrier behind its access, and the "
             "second one wait for that phase in front of its own."},
    [REASON_READER_APART] =
        {.missing = "an arrival behind the read, for which the thread that "
                    "asks waits, and a fence between the proxies",
         .help = "The two are in branches that different threads take, one of "
                 "them a loop: no barrier of all threads has a place there. "
                 "Let each reader run {releasing_fence} and arrive at an "
                 "mbarrier behind its reads. The thread that asks waits for "
                 "that phase in front of the next request, and then runs "
                 "{acquiring_fence}."},
    [REASON_LAPPED] =
        {.help =
             "The phase that this thread needs came and went: since its "
             "last wait here two phases have completed, and a parity cannot "
             "tell the present phase from the one before the last. Nobody "
             "may begin the next phase but one before this thread has seen "
             "the first: let it arrive (at a barrier, or at an mbarrier for "
             "what is empty) before the slot is used again."},
    [REASON_ARRIVED_TWICE] =
        {.help =
             "a named barrier counts threads, whoever they are: a warp that "
             "arrives twice (bar.arrive does not wait) takes the place of one "
             "that has not come. Let it wait at another barrier before it "
             "arrives here again"},
    [REASON_BARRIER_SHARED] =
        {.help =
             "a named barrier counts threads, whoever they are: two groups of "
             "warps use this one, or more threads come than it counts. Give "
             "each group a number of its own (1 to 15), and let the count be "
             "the threads of all who come"},
    [REASON_BARRIER_AGAIN] =
        {.help =
             "warps that have passed this barrier came to it again, and others "
             "did not: all of them must come equally often. See why those "
             "that do not come go through fewer rounds, or meet elsewhere"},
    [REASON_PASSED_BY] =
        {.help = "all threads that the barrier is for have to come to it: move "
                 "it out of the condition, and leave under it what one does"},
    [REASON_FOLLOWS] =
        {.help = "this may follow from the barrier that some threads never "
                 "come to, which is told in front of it: mend that one first"},
    [REASON_REFUSED] =
        {.help = "a refusal is the last answer: ask no more, and wait no more. "
                 "Let all threads remember it, and none come to this wait"},
    [REASON_ARRIVED_APART] =
        {.help = "let those who arrive name the mbarrier of the block that "
                 "waits (mapa, map_shared_rank), and not their own"},
    [REASON_BROUGHT_APART] =
        {.help = "let the request, or the copy, name the mbarrier at which its "
                 "bytes are announced ({arrive_expect_tx}), and waited for"},
    [REASON_OTHERS_ARE_MADE] =
        {.help = "let {init} run over all of them: check where its loop ends, "
                 "and how many are used"},
    [REASON_NEVER_MADE] =
        {.help = "each block has an mbarrier of its own: let one thread of "
                 "every block run {init}"},
    [REASON_ASK_FIRST] =
        {.help = "all threads that have not exited wait here, and none has "
                 "asked or arrived for this phase: no parity helps. Let the "
                 "request, or the arrival, come before the wait for it"},
    [REASON_NOT_BEGUN] =
        {.help =
             "the parity is right: this thread has seen all earlier phases. "
             "Nobody has begun this one. See where the thread that should "
             "ask or arrive waits, or whether it has left"},
    [REASON_RELAXED_WAIT] =
        {.help = "the wait for this phase is relaxed, and orders nothing: wait "
                 "with acquire, or put a fence or a barrier behind the wait"},
    [REASON_CLUSTER_BARRIER_RELAXED] =
        {.missing = "a fence ({init_fence}) in front of the relaxed barrier of "
                    "the cluster",
         .help = "the barrier of the cluster between them is relaxed, and "
                 "orders nothing by itself: put {init_fence} between {init} "
                 "and its arrival, in the thread that runs {init}, or let the "
                 "arrival release"},
    [REASON_BARRIER_RELAXED] =
        {.help =
             "the barrier of the cluster between the two is relaxed, and "
             "orders nothing: let its arrival release and its wait acquire, "
             "as both do by default"},
    [REASON_ANNOUNCED_LATE] =
        {.help = "the arrival completes the phase before the bytes are "
                 "announced: announce them first, or do both at once "
                 "({arrive_expect_tx})"},
    [REASON_ARRIVED_EARLY] =
        {.missing = MISSING_ARRIVAL,
         .help =
             "the thread of the earlier access has arrived at an mbarrier "
             "in front of it: whoever waits for that arrival may go on "
             "before the access is made. Let it arrive behind the access, and "
             "behind those of all for whom it arrives"},
    [REASON_WARP_ARRIVED_EARLY] =
        {.missing = MISSING_ARRIVAL,
         .help = "one lane arrives at an mbarrier for its warp, in front of "
                 "the access: whoever waits for that arrival may go on before "
                 "the access is made. Let all lanes make their access and meet "
                 "(__syncwarp()), and let the one arrive behind that"},
    [REASON_ARRIVED_ALONE] =
        {.missing = "a meeting of the earlier thread with the one that arrives "
                    "for it",
         .help = "one lane arrives for its warp, and speaks only for those "
                 "whom it has met since their access: put __syncwarp() between "
                 "the accesses of the warp and the arrival, or let each thread "
                 "arrive for itself"},
    [REASON_RELEASED_FIRST] =
        {.missing = "an arrival behind this access, for which the earlier "
                    "thread waits",
         .help = "the arrival tells the earlier thread to go on, and comes in "
                 "front of this access: make the access first, and arrive "
                 "behind it. If the access belongs to the next round, wait for "
                 "what the earlier thread says of its own before it is made"},
    [REASON_RELAXED_ARRIVAL] =
        {.missing = "a release, at the arrival for which the later thread "
                    "waits",
         .help = "the arrival is relaxed, and orders nothing before it: let it "
                 "release (.release is what an arrival without a word does), "
                 "or put a fence in front of it"},
    [REASON_PROXY_FENCE_ALONE] =
        {.missing = "a release between the write and what the issuing thread "
                    "waited for",
         .help =
             "a proxy fence orders one thread's own accesses, and publishes "
             "nothing: let the arrival behind it release (.release is what "
             "an arrival without a word does), or put a fence.acq_rel in "
             "front of it"},
    [REASON_FLAG_RELAXED] =
        {.missing = "a release between the write and the flag, and an acquire "
                    "between the wait for it and this access",
         .help = "the flag is set and seen by relaxed accesses (volatile ones "
                 "are), which order nothing else. Put __threadfence() between "
                 "the data and the flag, and another one behind the wait "
                 "(__threadfence_block() reaches no other block); or store the "
                 "flag with a release and load it with an acquire, as "
                 "cuda::atomic_ref does"},
    [REASON_FLAG_NOT_RELEASED] =
        {.missing = "a release between the write and the flag",
         .help = "the wait acquires, or has a fence behind it; but the flag is "
                 "set by a relaxed access (volatile is), with no fence in "
                 "front of it that reaches the reader: put __threadfence() "
                 "between the data and the flag, or store the flag with a "
                 "release"},
    [REASON_FLAG_NOT_ACQUIRED] =
        {.missing = "an acquire between the wait for the flag and this access",
         .help = "the flag is set behind a fence, or with a release, and seen "
                 "by a relaxed load (volatile is): put __threadfence() between "
                 "the wait and the reads, or load the flag with an acquire"},
    [REASON_HALVES_SWAPPED] =
        {.missing = "the releasing half of a proxy fence behind the read, and "
                    "the acquiring half in front of the request",
         .help = "the two halves have changed places: each reader runs "
                 "{releasing_fence} after its reads, and behind the barrier "
                 "the thread that asks runs {acquiring_fence}"},
    [REASON_ONLY_ACQUIRED] =
        {.help = "the acquiring half is there, and what it acquires was not "
                 "released: each reader runs {releasing_fence} after its reads "
                 "and before the barrier"},
    [REASON_READER_LEFT] =
        {.missing = "an order between the read and this request: threads that "
                    "have left meet nobody any more",
         .help = "let all threads of the block decide alike whether they go "
                 "on, and hand the index to each of them: every thread decodes "
                 "the answer, or one does and the others learn it from shared "
                 "memory behind a barrier"},
    [REASON_RELEASED_ELSEWHERE] =
        {.help = "the releasing half is there, but not between this read and "
                 "the barrier: it releases only what its thread has read "
                 "before, to those who meet it afterwards. Put it behind the "
                 "last read of the answer and before the barrier"},
    [REASON_ACQUIRED_ELSEWHERE] =
        {.missing = "the acquiring half of a proxy fence between the barrier "
                    "and the request",
         .help = "the acquiring half is there, but not between the barrier and "
                 "the request: it acquires only what its thread has been told "
                 "of before. Put it behind the barrier"},
    [REASON_OTHER_MBARRIER] =
        {.missing = "a wait at the mbarrier that the request names",
         .help = "this thread has waited at another mbarrier than the one that "
                 "this answer completes: wait at the mbarrier that the request "
                 "names"},
    [REASON_GUESS] =
        {.missing = "an atomic access in place of the ordinary load",
         .help = "a value that is old by the time of the compare-and-swap is "
                 "found out, so that nothing is lost on the cards that we know "
                 "of. To be right by the rules, too, read it through a pointer "
                 "to volatile, or by cuda::atomic_ref with "
                 "memory_order_relaxed"},
    [REASON_SAME_ELEMENT] =
        {.help =
             "Should both threads come to this element? If not, check the "
             "index and its stride: each thread has elements of its own. If "
             "they should, put a barrier between the two: __syncthreads(), "
             "or __syncwarp() if all who come to it are in one warp."},
    [REASON_SAME_ADDRESS] =
        {.help = "give each thread an element of its own: add its index in the "
                 "block (threadIdx) to the address. If they should all come to "
                 "this one, let one thread do it, or let each do it by an "
                 "atomic (atomicAdd)"},
    [REASON_ZERO_GOES_ON] =
        {.help = "let a refusal leave -1 behind, which is no index, and the "
                 "index of a grant only where there is one: then the condition "
                 "of the loop tells the two apart"},
    [REASON_NO_WAY_OUT] =
        {.help = "leave the loop that asks where an answer is a refusal: a "
                 "break leads out of the innermost loop or switch alone, and a "
                 "variable that is to end the loop has to be in its condition"},
    [REASON_ONE_OF_SEVERAL] =
        {.help = "one refusal ends the asking, whatever the other answers say: "
                 "remember it while the others are looked at, so that none of "
                 "them takes it back; work on what they grant, and leave"},
    [REASON_WAITS_WHILE_OVER] =
        {.help =
             "turn the condition round: go on while the wait is false, as "
             "long as the phase is not complete, and leave when it is true"},
    [REASON_LOOP_KEEPS] =
        {.help =
             "see what the condition of the loop looks at, and what sets it "
             "in each round: does that change it (a step of 0 does not), "
             "and does this thread come there, or do a condition or a "
             "return keep it away?"},
    [REASON_LEFT_UNSET] =
        {.help = "where the predicate is false, the register that goes into "
                 "this still holds what it held before, such as the "
                 "index of the grant before. Set it in front to what a refusal "
                 "is to give, such as -1, and test for that before it is used; "
                 "as an operand of an asm statement it must then be \"+r\", "
                 "not \"=r\""},
    [REASON_ASKED_ALREADY] =
        {.help =
             "is_canceled was asked, and said that nothing was granted: the "
             "index is used nevertheless. Is the condition inverted, or its "
             "result not looked at on this path?"},
    [REASON_FIXED_INDEX] =
        {.help = "Block blockIdx.x owns the elements from blockIdx.x * "
                 "blockDim.x on, and no others."},
    [REASON_STRIDE_TOO_SHORT] =
        {.help = "Is the stride the number of all threads, gridDim.x * "
                 "blockDim.x?"},
    [REASON_LOOP_TOO_SHORT] =
        {.help = "Loop: from the block's own index on, in steps of gridDim.x "
                 "blocks, while the index is below n."},
    [REASON_PLACE_IN_CLUSTER] =
        {.help = "The answer has the index of the cluster's first block: add "
                 "the block's own place in the cluster, in every iteration."},
    [REASON_SECOND_LAUNCH] =
        {.help = "The first launch was right; only the second one goes wrong. "
                 "Variables in global memory keep their "
                 "values from one launch to the next: let the kernel set back "
                 "at its end what it counts on at its start, or do without."},
    [REASON_SCALAR_CHANGED] = {.help = HELP_SCALAR},
    [REASON_DEVICE_FAILED] =
        {.help = "this is not the submission's fault: try again, and report it "
                 "if it stays"},
    [REASON_GRADER_LIMIT] =
        {.help = "this is the grader's limit, not a mistake in the file: "
                 "report it, or write it another way"},
    [REASON_MACHINE_LIMIT] =
        {.help = "this is the virtual machine's limit, not a mistake in the "
                 "file: report it, or write it another way"},
    [REASON_OWN_INDEX_LEFT_OUT] =
        {.help =
             "The indices that were left out are those that blocks were "
             "started with. Process blockIdx.x first, and then the index of "
             "each granted answer."},
    [REASON_LAST_INDEX_LEFT_OUT] =
        {.help = "Each of them is the last that its block was granted. Process "
                 "what was granted before the block exits: a refusal ends the "
                 "asking, and not the work."},
    [REASON_INDEX_LED_ELSEWHERE] =
        {.help = "Is the index changed on its way to the elements, so that it "
                 "leads elsewhere, or beyond a guard? It counts blocks, as "
                 "blockIdx does, and not elements: use it as blockIdx was "
                 "used before the first answer."},
    [REASON_LEFT_WITH_INDICES] =
        {.help = "Process each index that is taken before another takes its "
                 "place, and all that are held before the block leaves: a "
                 "refusal ends the asking, and not the work."},
    [REASON_AT_TWO_PLACES] =
        {.help = "One of the two is too many, or has the index of the round "
                 "before: see that the index there is computed behind the "
                 "answer that it is to come from, and that a variable which "
                 "was given none holds none (-1)."},
    [REASON_INDEX_MULTIPLIED] =
        {.help = "An index counts blocks, not clusters, as blockIdx does: take "
                 "it from the answer as it is, and add the block's own place "
                 "in the cluster."},
    [REASON_SAME_INDEX_AGAIN] =
        {.help = "Make the element's index of what changes from round to "
                 "round: with blockIdx.x it is the same in each of them."},
    [REASON_INDEX_CUT] =
        {.help = "The first index that was left out does not fit in the type "
                 "that the index is kept in on its way to the elements: it "
                 "comes out as another one. Keep block indices in an int."},
    [REASON_HELD_IN_ONE_PLACE] =
        {.help = "Each index that was left out was taken by a block that took "
                 "another one before it began the first, and in the end "
                 "processed one twice. Keep each index in a place of its own "
                 "until it is processed, or take one at a time."},
    [REASON_ZERO_IS_AN_INDEX] =
        {.help = "0 is the index of a block like any other: a variable that "
                 "begins with 0, or is 0 because nothing was taken, stands for "
                 "block 0. Let it hold -1, which is no index, until one is "
                 "taken, and process no block then."},
    [REASON_HANDED_OVER_LOOSELY] =
        {.help = "The index is handed over by accesses that order nothing, and "
                 "no barrier orders them: a thread may read it before it is "
                 "written, or after the next one is. Two barriers are needed: "
                 "one between the write and the reads, and one between the "
                 "reads and the next write."},
    [REASON_THREADS_LEFT] =
        {.help = "A thread that has no element of one block may have one of "
                 "the next: leave out the work alone, and let all threads "
                 "leave together, when the request was refused."},
    [REASON_ONE_REQUEST_A_PLACE] =
        {.help = "A request takes a whole cluster off the queue, whoever asks. "
                 "Let one thread of the cluster ask by multicast, and each "
                 "block process the index at its own place in it."},
};

#define ONLY_FENCE \
    "the only proxy fence between the two, outside the reader's CTA, is "

static const char *const words[FACT_WORD_COUNT] = {
    [WORD_ACCESS_READS] = "reads",
    [WORD_ACCESS_WRITES] = "writes",
    [WORD_ACCESS_UPDATES] = "updates",
    [WORD_FOR_WHOM_THREAD_0] = "thread 0 of the block",
    [WORD_FOR_WHOM_RANK_0] = "thread 0 of rank 0 of the cluster",
    [WORD_FOR_WHOM_EACH_WARP] = "one thread of each warp",
    [WORD_CHANGE_TIMES_FOR_PLUS] = "* in place of +",
    [WORD_CHANGE_PLUS_FOR_TIMES] = "+ in place of *",
    [WORD_CHANGE_TIMES_STORED] = "*= for =",
    [WORD_CHANGE_PLUS_STORED] = "+= for =",
    [WORD_LEFT_OUT_SUM] = "addition",
    [WORD_LEFT_OUT_PRODUCT] = "multiplication",
    [WORD_LEFT_OUT_DIFFERENCE] = "subtraction",
    [WORD_LEFT_OUT_FIRST] = "first condition",
    [WORD_LEFT_OUT_SECOND] = "second condition",
    [WORD_LEFT_OUT_ABOUT] = "condition about {name}",
    [WORD_MEMORY_OWN_VARIABLE] = "{name} (shared, offset {offset})",
    [WORD_MEMORY_OTHERS_VARIABLE] =
        "{name} of block {owner} (shared, offset {offset})",
    [WORD_MEMORY_OWN_ELEMENT] = "{name}",
    [WORD_MEMORY_OTHERS_ELEMENT] = "block {owner}'s own {name}",
    [WORD_MEMORY_OWN_SHARED] = "the block's shared memory (offset {offset})",
    [WORD_MEMORY_OTHERS_SHARED] =
        "the shared memory of block {owner} (offset {offset})",
    [WORD_MEMORY_GLOBAL_VARIABLE] = "variable {name} (offset {offset})",
    [WORD_MEMORY_HEAP] = "memory from malloc (offset {offset})",
    [WORD_MEMORY_GLOBAL] = "global buffer {number} (offset {offset})",
    [WORD_MEMORY_LENT] = "global memory (offset {offset} in its allocation)",
    [WORD_MEMORY_OF_PARAMETER] =
        "what parameter {number} points to (offset {offset})",
    [WORD_BUFFER_VARIABLE] = "variable {name} ({size} bytes)",
    [WORD_BUFFER_HEAP] = "memory from malloc ({size} bytes)",
    [WORD_BUFFER_PARAMETERS] = "the kernel's parameters ({size} bytes)",
    [WORD_BUFFER_OF_PARAMETER] =
        "the buffer of parameter {number} ({size} bytes)",
    [WORD_BUFFER_UNKNOWN] = "a buffer of {size} bytes",
    [WORD_LATER_READS] = "reads",
    [WORD_LATER_WRITES] = "writes",
    [WORD_LATER_ISSUES_READ] =
        "issues an asynchronous operation that will read",
    [WORD_LATER_ISSUES_WRITE] =
        "issues an asynchronous operation that will write",
    [WORD_LATER_REQUESTS] =
        "requests a cancellation whose answer will overwrite",
    [WORD_EARLIER_THREAD] = "{other}",
    [WORD_EARLIER_OTHERS] = "another thread",
    [WORD_EARLIER_ANSWER] = "the answer of a request",
    [WORD_EARLIER_ASYNC] = "an asynchronous operation",
    [WORD_BEFORE_READS] = "reads",
    [WORD_BEFORE_WRITES] = "writes",
    [WORD_BEFORE_HAS_READ] = "has read",
    [WORD_BEFORE_HAS_WRITTEN] = "has written",
    [WORD_ORDER_NOTHING] = "nothing orders the two",
    [WORD_ORDER_SAME_VALUE] =
        "nothing orders the two (both write the same value)",
    [WORD_ORDER_IDLE] =
        "nothing orders the two (there are ways on which the value is not "
        "used: the compiler may have moved the read out of a condition)",
    [WORD_ORDER_GUESS] =
        "nothing orders the two (a compare-and-swap finds out if the value "
        "that was read is old)",
    [WORD_ORDER_SCOPES] = "their scopes do not include each other",
    [WORD_ORDER_SIZES] =
        "being of different sizes they are not atomic to each other",
    [WORD_ORDER_FENCE_CTA] = ONLY_FENCE "{cta_fence}",
    [WORD_ORDER_FENCE_CLUSTER] = ONLY_FENCE "{cluster_fence}",
    [WORD_ORDER_FENCE_ALL] = ONLY_FENCE "{proxy_fence}",
    [WORD_REQUEST_OWN] = "its own request",
    [WORD_REQUEST_MULTICAST] = "a multicast request",
    [WORD_USE_IN_A_CONDITION] = "in a condition",
    [WORD_USE_IN_AN_ADDRESS] = "in an address",
    [WORD_USE_IN_AN_OPERAND] = "in what it waits for or asks for",
    [WORD_USE_AS_A_VALUE] = "as a value",
    [WORD_MBARRIER_UNKNOWN] = "of its block (offset {offset})",
    [WORD_MBARRIER_VARIABLE] = "{name}",
    [WORD_MBARRIER_ELEMENT] = "{name}[{number}]",
    [WORD_MBARRIER_INSIDE] = "{name} (offset {offset})",
    [WORD_ARRIVALS_ALL] = "has its arrivals",
    [WORD_ARRIVALS_LACKS_THE_ONE] = "lacks its arrival",
    [WORD_ARRIVALS_LACKS_SOME] = "lacks {pending} of its {expected} arrivals",
    [WORD_BALANCE_EVEN] = "",
    [WORD_BALANCE_UNANNOUNCED] =
        ", and {bytes} bytes came that nobody has announced",
    [WORD_BALANCE_LACKS] = ", and lacks {bytes} bytes",
    [WORD_BALANCE_LACKS_TOO] = ", and {bytes} bytes",
    [WORD_WAIT_BARRIER] = "at a barrier of the block",
    [WORD_WAIT_CLUSTER] = "at the cluster barrier",
    [WORD_WAIT_MBARRIER] = "at an mbarrier",
    [WORD_WAIT_MEMORY] = "for memory to change",
    [WORD_WAIT_LANES] = "for lanes of the warp",
    [WORD_WAIT_ALIGNED] = "at a barrier for the rest of the warp",
    [WORD_WAIT_REGISTERS] = "for registers",
    [WORD_WAIT_COPIES] = "for copies",
    [WORD_STAND_HERE] = "are here",
    [WORD_STAND_OTHER_BARRIER] = "are at another barrier, here",
    [WORD_STAND_UNALIGNED_BARRIER] =
        "wait at a barrier that is not aligned, here",
    [WORD_STAND_MBARRIER] = "wait at an mbarrier here",
    [WORD_STAND_LANES] = "wait for lanes of the warp here",
    [WORD_RECORDS_MEMORY] =
        "it touches more memory than the checker can keep track of",
    [WORD_RECORDS_READERS] = "more threads have read a place that is written "
                             "now than the checker keeps",
    [WORD_RECORDS_SYNCHRONISATIONS] =
        "it synchronises more often than the checker can tell apart",
    [WORD_RECORDS_RELEASES] =
        "it releases at more locations than the checker follows",
    [WORD_RECORDS_BLOCKS] =
        "it starts more blocks than the checker can tell apart",
    [WORD_WORK_INSTRUCTIONS] = "executing instructions",
    [WORD_WORK_COPY] = "asynchronous copies",
    [WORD_WORK_CLEAR] = "allocating and clearing memory: that of malloc, of "
                        "calls and local arrays, of each block that starts",
    [WORD_WORK_PRINT] = "printf",
    [WORD_WORK_ORDER] = "keeping track of which threads know of each other's "
                        "accesses, through barriers, mbarriers and atomics",
    [WORD_PROGRESS_UNKNOWN] = "",
    [WORD_PROGRESS_KNOWN] = "{started} of {blocks} blocks had started, and "
                            "{clusters} clusters had been granted to requests.",
    [WORD_OWNS_LINE] = "all i = block * blockDim.x + threadIdx.x below n",
    [WORD_OWNS_BOX] = "x = block.x * blockDim.x + threadIdx.x below width, and "
                      "likewise y and z",
    [WORD_OWNS_ROW] = "block b owns row b, from starts[b] up to starts[b + 1]",
    [WORD_INSTEAD_NOTHING] = "",
    [WORD_INSTEAD_PLACE_LEFT_OUT] =
        "; it stored to those of block {stored}, the cluster's first: its "
        "place in the cluster ({rank}) was not added",
    [WORD_INSTEAD_PLACE_TWICE] =
        "; it stored to those of block {stored}: its place in the cluster "
        "({rank}) was added twice",
    [WORD_INSTEAD_TAKEN_NEXT] =
        "; it took block {stored} next, and stored to those",
    [WORD_INSTEAD_NOT_OWNED] =
        "; it stored to those of block {stored}, which it does not own",
    [WORD_STANDING_NOT_SAID] = "",
    [WORD_STANDING_OWN] = ", whose own it is",
    [WORD_STANDING_FROM_ANSWER] = ", which took it from an answer",
    [WORD_STANDING_OTHER_PLACE] =
        ", which took block {stored} from that answer",
    [WORD_STANDING_PLACE_LEFT_OUT] =
        ", which took block {stored} from that answer and left its place in "
        "the cluster out",
    [WORD_STANDING_PLACE_TWICE] =
        ", which took block {stored} and added its place in the cluster twice",
    [WORD_STANDING_NO_ANSWER] = ", which no answer gave it to",
    [WORD_PARAMS_NONE] = "no parameters",
    [WORD_PARAMS_TYPE] = ".{name}",
    [WORD_PARAMS_STRUCT] = "a struct or __grid_constant__ of {size} bytes",
    [WORD_PARAMS_NEXT_TYPE] = ", .{name}",
    [WORD_PARAMS_NEXT_STRUCT] =
        ", a struct or __grid_constant__ of {size} bytes",
    [WORD_MISSED_FIRST] = "{block}",
    [WORD_MISSED_NEXT] = ", {block}",
    [WORD_MISSED_MORE] = " and {count} more",
    [WORD_REPEATED_FIRST] = "{block} ({times}x)",
    [WORD_REPEATED_NEXT] = ", {block} ({times}x)",
    [WORD_REPEATED_FIRST_IN_PART] =
        "{block} ({count} of its elements {times}x)",
    [WORD_REPEATED_NEXT_IN_PART] =
        ", {block} ({count} of its elements {times}x)",
    [WORD_REPEATED_MORE] = " and {count} more",
    [WORD_FAR_FIRST] = "{name}",
    [WORD_FAR_NEXT] = ", {name}",
    [WORD_FAR_MORE] = " and {count} more",
    [WORD_RANGES_FIRST] = "{first} to {last} ({times}x)",
    [WORD_RANGES_FIRST_ALONE] = "{first} ({times}x)",
    [WORD_RANGES_NEXT] = ", {first} to {last} ({times}x)",
    [WORD_RANGES_NEXT_ALONE] = ", {first} ({times}x)",
    [WORD_RANGES_MORE] = " and {count} more",
    [WORD_DIVIDED_FIRST] = "{block}",
    [WORD_DIVIDED_NEXT] = ", {block}",
    [WORD_DIVIDED_MORE] = " and {count} more",
    [WORD_WRITERS_FIRST] = "block {owner}{standing}",
    [WORD_WRITERS_NEXT] = ", by block {owner}{standing}",
    [WORD_WRITERS_LAST] = ", and by block {owner}{standing}",
    [WORD_WRITERS_MORE] = ", and by {count} more",
    [WORD_WRITERS_OTHERS] = ", and by more than {count} more",
    [WORD_STILL_FIRST] = "{block}",
    [WORD_STILL_NEXT] = ", {block}",
    [WORD_STILL_MORE] = " and {count} more",
    [WORD_CAME_FIRST] = "{warp}",
    [WORD_CAME_NEXT] = ", {warp}",
    [WORD_CAME_MORE] = " and {count} more",
    [WORD_COME_FIRST] = "{warp}",
    [WORD_COME_NEXT] = ", {warp}",
    [WORD_COME_MORE] = " and {count} more",
};

static const char *const asks[DEVICE_RULE_COUNT] = {[DEVICE_RULE_NONE] =
                                                        "a clean run",
#define RULE_ASKS(id, related, retried, rule_asks) [RULE_##id] = rule_asks,
                                                    DEVICE_RULES(RULE_ASKS)
#undef RULE_ASKS
};

static void write_ordinal(uint64_t n, Buf *out) {
    const char *end = n % 10 == 1   ? "st"
                      : n % 10 == 2 ? "nd"
                      : n % 10 == 3 ? "rd"
                                    : "th";
    buf_printf(out, "%llu%s", (unsigned long long)n,
               n / 10 % 10 == 1 ? "th" : end);
}

const Edition words_english = {
    .cases = {{words_clc, CLC_CASE_COUNT},
              {words_mbarrier, MBARRIER_CASE_COUNT},
              {words_memory, MEMORY_CASE_COUNT},
              {words_race, RACE_CASE_COUNT},
              {words_sync, SYNC_CASE_COUNT},
              {words_end, END_CASE_COUNT},
              {words_judged, JUDGED_CASE_COUNT}},
    .reasons = reasons,
    .roots = words_roots,
    .places = words_places,
    .words = words,
    .asks = asks,
    .thread = "thread {name} of block {block}",
    .who_block = "block {block}",
    .who_rank = ", rank {rank} of its cluster of {ctas}",
    .who_warp = ", warp {warp}",
    .who_lane = ", lane {lane}",
    .who_at = "; at block index {owner}, its {nth}",
    .times = "{text} ({count} times in this run)",
    .gave_up = "a wait may give up, though try_wait and test_wait may return "
               "false any number of times: {text}",
    .remedies = words_remedies,
    .tried_one = "Tried: with {text}, {schedule}.",
    .tried_either = "Tried: with {text}, or with {form}, {schedule}.",
    .mended_too = "What was tried for the first failure mends this as well.",
    .all_pass = "all {count} schedules pass",
    .one_passes = "the one schedule passes",
    .tried_helps = "Tried: with {text}, this is mended, and {name} follows.",
    .rule = "The rule asks: {text}.",
    .in_schedule = "In {schedule}: {text}",
    .on_card = "On the GPU, {name}: {text}",
    .ordinal = write_ordinal,
};
