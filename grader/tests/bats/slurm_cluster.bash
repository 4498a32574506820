# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# A cluster of Slurm's on this machine: a controller and nodes of one processor and one
# card (that is not there) each, on loopback, with a munge key, a state and ports of their own. Nothing of it is outside its
# folder, and nothing of an installed Slurm is touched. Source it, then
#
#   cluster_lack              what is missing for one, in words; nothing: it can be had
#   cluster_start FOLDER [NODE...]   default: a b. Sets SLURM_CONF; returns 1 if it fails
#   cluster_kill_node NODE    as if its power had failed: nothing of it goes on
#   cluster_start_node NODE
#   cluster_kill_controller, cluster_start_controller
#   cluster_mend              nodes are in use again
#   cluster_stop              returns when all of its processes are gone
#
# Nodes are found out to be lost at once, as an administrator's `scontrol` says so: Slurm's
# own timeouts take ten seconds and more.

PATH=$PATH:/usr/sbin
# shellcheck source=grader/tests/bats/waiting.bash
source "${BASH_SOURCE[0]%/*}/waiting.bash"

cluster_lack() {
    local program
    for program in munged slurmctld slurmd sbatch squeue scancel scontrol; do
        command -v "$program" >/dev/null || {
            echo "there is no $program (packages slurm-wlm, munge)"
            return
        }
    done
}

is_free_port() {
    ! (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null
}

# Prints the first of COUNT ports in a row that nobody listens on, below those that the
# kernel hands out.
free_ports() {
    local port i
    while :; do
        port=$((12000 + RANDOM % 15000))
        for ((i = 0; i < $1; i++)); do
            is_free_port $((port + i)) || continue 2
        done
        echo "$port"
        return
    done
}

write_conf() { # write_conf PORT NODE...
    local port=$1 host user node
    shift
    host=$(uname -n) user=$(id -un)
    cat <<END
ClusterName=clclab
SlurmctldHost=${host%%.*}(127.0.0.1)
SlurmctldPort=$port
SlurmUser=$user
SlurmdUser=$user
AuthType=auth/munge
CredType=cred/munge
AuthInfo=socket=$CLUSTER/munge.sock,cred_expire=5
StateSaveLocation=$CLUSTER/state
SlurmctldPidFile=$CLUSTER/slurmctld.pid
SlurmctldLogFile=$CLUSTER/slurmctld.log
SlurmdSpoolDir=$CLUSTER/%n
SlurmdPidFile=$CLUSTER/%n.pid
SlurmdLogFile=$CLUSTER/%n.log
SlurmdParameters=config_overrides
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
MailProg=/bin/true
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerParameters=batch_sched_delay=0,sched_interval=1,sched_min_interval=0,bf_interval=1
ReturnToService=2
KillWait=1
GresTypes=gpu
MessageTimeout=5
END
    for node; do
        ((port += 1))
        echo "NodeName=$node NodeHostname=${host%%.*} NodeAddr=127.0.0.1 Port=$port CPUs=1 RealMemory=1000 Gres=gpu:1"
    done
    echo "PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP"
}

# Starts a daemon whose standard error is kept, and which holds no descriptor of Bats'.
daemon() { # daemon NAME COMMAND...: its process is in $CLUSTER/NAME.process
    local name=$1
    shift
    setsid "$@" </dev/null >>"$CLUSTER/$name.out" 2>&1 3>&- &
    echo $! >"$CLUSTER/$name.process"
    disown # nothing is said when it is killed
}

# until_up NAME COMMAND...: waits until it succeeds; 1: the daemon has ended.
until_up() {
    until_is is_up_or_gone "$@" && ! is_gone "$(process_of "$1")"
}

is_up_or_gone() {
    is_gone "$(process_of "$1")" || "${@:2}"
}

cluster_start_controller() {
    daemon slurmctld slurmctld -D
    until_up slurmctld scontrol ping
}

is_in_use() { # is_in_use NODE: one that was said to be down is taken back
    [[ $(sinfo --noheader --nodes="$1" --format=%t) == @(idle|mix|alloc) ]] ||
        { scontrol update "NodeName=$1" State=RESUME && false; }
}

cluster_start_node() {
    daemon "$1" slurmd -D -N "$1"
    until_up "$1" is_in_use "$1"
}

cluster_start() {
    local node
    export CLUSTER=$1
    shift
    (($# > 0)) || set -- a b
    mkdir -p "$CLUSTER/state"
    for node; do mkdir -p "$CLUSTER/$node"; done
    head -c 1024 /dev/urandom >"$CLUSTER/key"
    chmod 0400 "$CLUSTER/key"
    write_conf "$(free_ports $(($# + 1)))" "$@" >"$CLUSTER/slurm.conf"
    echo "Name=gpu File=/dev/null" >"$CLUSTER/gres.conf" # no card, but one is counted
    export SLURM_CONF=$CLUSTER/slurm.conf
    daemon munged munged --foreground --force --key-file="$CLUSTER/key" \
        --socket="$CLUSTER/munge.sock" --pid-file="$CLUSTER/munge.pid" \
        --log-file="$CLUSTER/munge.log" --seed-file="$CLUSTER/munge.seed"
    until_up munged test -S "$CLUSTER/munge.sock" && cluster_start_controller || return 1
    for node; do cluster_start_node "$node" || return 1; done
}

# The processes that run the tasks of a node: their log is the node's, and is open.
steps_of() {
    local process
    for process in $(pgrep -f '^slurmstepd: '); do
        ! find "/proc/$process/fd" -lname "$CLUSTER/$1.log" 2>/dev/null | grep -q . || echo "$process"
    done
}

tasks_of() {
    grep -slzx "SLURMD_NODENAME=$1" /proc/[0-9]*/environ | while IFS=/ read -r _ _ process _; do
        ! grep -szqx "SLURM_CONF=$SLURM_CONF" "/proc/$process/environ" || echo "$process"
    done
}

# ended PROCESS...: kills them, and waits until they are gone; whose children they are does
# not matter.
ended() {
    local process
    for process; do
        kill -KILL "$process" 2>/dev/null || true # it may have ended by itself
    done
    for process; do
        until_is is_gone "$process" || return 1
    done
}

process_of() {
    cat "$CLUSTER/$1.process" 2>/dev/null
}

# Twice, as what is just being started is not seen by the first look.
end_node() {
    local i
    for i in 1 2; do
        # shellcheck disable=SC2046 # numbers
        ended $(process_of "$1") $(steps_of "$1") $(tasks_of "$1")
    done
}

cluster_kill_node() {
    end_node "$1"
    scontrol update "NodeName=$1" State=DOWN Reason=killed
}

cluster_kill_controller() {
    ended "$(process_of slurmctld)"
}

# As an administrator does: nodes that Slurm has taken out of use come back. A controller
# that was killed does so, where it has forgotten tasks that are at work there.
cluster_mend() {
    local node
    for node in $(sinfo --noheader --Node --format=%N,%T | sed -n 's/,\(drain\|down\).*//p'); do
        scontrol update "NodeName=$node" State=RESUME || true
    done
}

cluster_stop() {
    local node
    while read -r node; do
        end_node "$node"
    done < <(sed -n 's/^NodeName=\([^ ]*\).*/\1/p' "$CLUSTER/slurm.conf")
    # shellcheck disable=SC2046 # numbers
    ended $(process_of slurmctld) $(process_of munged)
    unset SLURM_CONF
}
