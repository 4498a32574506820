// SPDX-License-Identifier: Apache-2.0
// The straight-line instructions of random programs. To add one, add a row to
// the table of its set: a row in `core` changes every program of that set (and
// needs a new recording), one in `more` those of the set `all`.
//
//   {"add.u32", "r:rr"}                    results : operands, by class
//   {"addc.u32 $0, $2, $3;", "rr:rr"}      with '$': text; $N counts both
//
// Classes:
//   h r l    integers of 16, 32, 64 bits: a register or an immediate
//   H R L    the same, never an immediate
//   f d      f32, f64; F D the same, but not NaN (what it becomes is open)
//   e E b B  f16, f16x2, bf16, bf16x2; g an f16 that is no NaN
//   p        predicate; q: perhaps negated
//   s        shift amount, 0 .. 127
//   y z Z    odd divisor of 16, 32, 64 bits, positive as a signed number
//   k n      immediate 0 .. 31, 0 .. 255
//
// Only exact operations whose result the PTX ISA defines; the rounding is
// always named, so that nothing may be fused. NaNs are made one pattern behind
// each.
#ifndef CLCLAB_RANDOM_FORMS_H
#define CLCLAB_RANDOM_FORMS_H

typedef struct RandomForm {
    const char *text;
    const char *classes;
} RandomForm;

#define RF_16(op, h)  \
    {op ".u16", h}, { \
        op ".s16", h  \
    }
#define RF_32(op, r)  \
    {op ".u32", r}, { \
        op ".s32", r  \
    }
#define RF_64(op, l)  \
    {op ".u64", l}, { \
        op ".s64", l  \
    }
#define RF_INTS(op, h, r, l) RF_16(op, h), RF_32(op, r), RF_64(op, l)
#define RF_SIGNED(op)                         \
    {op ".s16", "h:h"}, {op ".s32", "r:r"}, { \
        op ".s64", "l:l"                      \
    }
#define RF_BITS(op)                             \
    {op ".b16", "h:hh"}, {op ".b32", "r:rr"}, { \
        op ".b64", "l:ll"                       \
    }
#define RF_BITS1(op)                          \
    {op ".b16", "h:h"}, {op ".b32", "r:r"}, { \
        op ".b64", "l:l"                      \
    }
#define RF_ROUND(op, after, classes)                      \
    {op ".rn" after, classes}, {op ".rz" after, classes}, \
        {op ".rm" after, classes}, {                      \
        op ".rp" after, classes                           \
    }
#define RF_F32(op, classes) \
    RF_ROUND(op, ".f32", classes), RF_ROUND(op, ".ftz.f32", classes)
#define RF_F32_SAT(op, classes)                             \
    RF_F32(op, classes), RF_ROUND(op, ".sat.f32", classes), \
        RF_ROUND(op, ".ftz.sat.f32", classes)

static const RandomForm random_core_forms[] = {
    RF_INTS("add", "h:hh", "r:rr", "l:ll"),
    RF_INTS("sub", "h:hh", "r:rr", "l:ll"),
    RF_INTS("mul.lo", "h:hh", "r:rr", "l:ll"),
    RF_INTS("mul.hi", "h:hh", "r:rr", "l:ll"),
    RF_INTS("mad.lo", "h:hhh", "r:rrr", "l:lll"),
    RF_INTS("mad.hi", "h:hhh", "r:rrr", "l:lll"),
    RF_16("mul.wide", "r:hh"),
    RF_32("mul.wide", "l:rr"),
    RF_16("mad.wide", "r:hhr"),
    RF_32("mad.wide", "l:rrl"),
    RF_32("mul24.lo", "r:rr"),
    RF_32("mul24.hi", "r:rr"),
    RF_32("mad24.lo", "r:rrr"),
    RF_INTS("div", "h:hy", "r:rz", "l:lZ"),
    RF_INTS("rem", "h:hy", "r:rz", "l:lZ"),
    RF_INTS("min", "h:hh", "r:rr", "l:ll"),
    RF_INTS("max", "h:hh", "r:rr", "l:ll"),
    RF_INTS("sad", "h:hhh", "r:rrr", "l:lll"),
    RF_SIGNED("abs"),
    RF_SIGNED("neg"),
    {"add.sat.s32", "r:rr"},
    {"sub.sat.s32", "r:rr"},
    RF_BITS("and"),
    RF_BITS("or"),
    RF_BITS("xor"),
    RF_BITS1("not"),
    RF_BITS1("cnot"),
    {"lop3.b32", "r:rrrn"},
    {"shl.b16", "h:hs"},
    {"shl.b32", "r:rs"},
    {"shl.b64", "l:ls"},
    RF_INTS("shr", "h:hs", "r:rs", "l:ls"),
    {"shf.l.wrap.b32", "r:rrs"},
    {"shf.r.wrap.b32", "r:rrs"},
    {"shf.l.clamp.b32", "r:rrs"},
    {"shf.r.clamp.b32", "r:rrs"},
    {"popc.b32", "r:r"},
    {"popc.b64", "r:l"},
    {"clz.b32", "r:r"},
    {"clz.b64", "r:l"},
    {"brev.b32", "r:r"},
    {"brev.b64", "l:l"},
    RF_32("bfind", "r:r"),
    RF_64("bfind", "r:l"),
    RF_32("bfind.shiftamt", "r:r"),
    RF_64("bfind.shiftamt", "r:l"),
    RF_32("bfe", "r:rss"),
    RF_64("bfe", "l:lss"),
    {"bfi.b32", "r:rrss"},
    {"bfi.b64", "l:llss"},
    {"prmt.b32", "r:rrr"},
    RF_F32_SAT("add", "f:ff"),
    RF_F32_SAT("sub", "f:ff"),
    RF_F32_SAT("mul", "f:ff"),
    RF_F32_SAT("fma", "f:fff"),
    RF_F32("div", "f:ff"),
    RF_F32("rcp", "f:f"),
    RF_F32("sqrt", "f:f"),
    {"min.f32", "f:ff"},
    {"max.f32", "f:ff"},
    {"min.ftz.f32", "f:ff"},
    {"max.ftz.f32", "f:ff"},
    {"abs.f32", "f:f"},
    {"neg.f32", "f:f"},
    {"copysign.f32", "f:ff"},
    RF_ROUND("add", ".f64", "d:dd"),
    RF_ROUND("sub", ".f64", "d:dd"),
    RF_ROUND("mul", ".f64", "d:dd"),
    RF_ROUND("fma", ".f64", "d:ddd"),
    RF_ROUND("div", ".f64", "d:dd"),
    RF_ROUND("rcp", ".f64", "d:d"),
    RF_ROUND("sqrt", ".f64", "d:d"),
    {"min.f64", "d:dd"},
    {"max.f64", "d:dd"},
    {"abs.f64", "d:d"},
    {"neg.f64", "d:d"},
    {"copysign.f64", "d:dd"},
    {"selp.b16", "h:hhp"},
    {"selp.b32", "r:rrp"},
    {"selp.b64", "l:llp"},
    {"selp.f32", "f:ffp"},
    {"selp.f64", "d:ddp"},
    {"slct.b32.s32", "r:rrr"},
    {"slct.u64.s32", "l:llr"},
    {"slct.s32.f32", "r:rrf"},
    {"slct.f64.f32", "d:ddf"},
    {"slct.f32.s32", "f:ffr"},
    {"and.pred", "p:pp"},
    {"or.pred", "p:pp"},
    {"xor.pred", "p:pp"},
    {"not.pred", "p:p"},
    {"mov.pred", "p:p"},
    {"mov.b16", "h:h"},
    {"mov.b32", "r:f"},
    {"mov.b32", "f:R"},
    {"mov.b64", "l:d"},
    {"mov.b64", "d:L"},
    {"mov.f32", "f:f"},
    {"mov.f64", "d:d"},
    {"mov.b32 $0, {$1, $2};", "r:HH"},
    {"mov.b32 {$0, $1}, $2;", "hh:R"},
    {"mov.b64 $0, {$1, $2};", "l:RR"},
    {"mov.b64 {$0, $1}, $2;", "rr:L"},
    {"mov.b64 $0, {$1, $2, $3, $4};", "l:HHHH"},
    {"mov.b64 {$0, $1, $2, $3}, $4;", "hhhh:L"},
    {"mov.u32 $0, %laneid;", "r:"},
    {"mov.u32 $0, %tid.x;", "r:"},
    {"mov.u32 $0, %ntid.x;", "r:"},
    {"mov.u32 $0, %ctaid.x;", "r:"},
    {"mov.u32 $0, %nctaid.x;", "r:"},
    {"mov.u32 $0, %lanemask_lt;", "r:"},
    {"mov.u32 $0, %lanemask_ge;", "r:"},
    {"mov.u32 $0, %lanemask_eq;", "r:"},
    {"cvt.u32.u16 $0, $1;", "r:H"},
    {"cvt.s64.s32 $0, $1;", "l:R"},
};

static const RandomForm random_more_forms[] = {
    // Carries.
    {"add.cc.u32 $0, $2, $3; addc.u32 $1, $4, $5;", "rr:rrrr"},
    {"add.cc.s32 $0, $3, $4; addc.cc.u32 $1, $5, $6; addc.s32 $2, $7, $8;",
     "rrr:rrrrrr"},
    {"sub.cc.u32 $0, $2, $3; subc.u32 $1, $4, $5;", "rr:rrrr"},
    {"sub.cc.s32 $0, $3, $4; subc.cc.s32 $1, $5, $6; subc.u32 $2, $7, $8;",
     "rrr:rrrrrr"},
    {"add.cc.u64 $0, $2, $3; addc.u64 $1, $4, $5;", "ll:llll"},
    {"sub.cc.u64 $0, $2, $3; subc.s64 $1, $4, $5;", "ll:llll"},
    {"mad.lo.cc.u32 $0, $2, $3, $4; madc.hi.u32 $1, $2, $3, $5;", "rr:rrrr"},
    {"mad.hi.cc.s32 $0, $2, $3, $4; madc.lo.s32 $1, $2, $3, $5;", "rr:rrrr"},
    {"mad.lo.cc.u64 $0, $2, $3, $4; madc.hi.u64 $1, $2, $3, $5;", "ll:llll"},
    {"mad.lo.cc.u32 $0, $2, $3, $4; madc.hi.cc.u32 $1, $2, $3, $5;"
     " addc.u32 $0, $0, $1;",
     "rr:rrrr"},
    // Dot products and other integer forms.
    RF_32("dp4a.u32", "r:rrr"),
    RF_32("dp4a.s32", "r:rrr"),
    RF_32("dp2a.lo.u32", "r:rrr"),
    RF_32("dp2a.hi.u32", "r:rrr"),
    RF_32("dp2a.lo.s32", "r:rrr"),
    RF_32("dp2a.hi.s32", "r:rrr"),
    {"mad.hi.sat.s32", "r:rrr"},
    {"mad24.hi.u32", "r:rrr"},
    {"mad24.hi.s32", "r:rrr"},
    {"mad24.hi.sat.s32", "r:rrr"},
    {"bmsk.clamp.b32", "r:ss"},
    {"bmsk.wrap.b32", "r:ss"},
    RF_32("szext.clamp", "r:rs"),
    RF_32("szext.wrap", "r:rs"),
    {"fns.b32", "r:RkR"},
    {"prmt.b32.f4e", "r:rrr"},
    {"prmt.b32.b4e", "r:rrr"},
    {"prmt.b32.rc8", "r:rrr"},
    {"prmt.b32.ecl", "r:rrr"},
    {"prmt.b32.ecr", "r:rrr"},
    {"prmt.b32.rc16", "r:rrr"},
    {"add.u16x2", "r:RR"},
    {"add.s16x2", "r:RR"},
    {"min.u16x2", "r:RR"},
    {"min.s16x2", "r:RR"},
    {"max.u16x2", "r:RR"},
    {"max.s16x2", "r:RR"},
    {"min.relu.s32", "r:rr"},
    {"max.relu.s32", "r:rr"},
    {"min.relu.s16x2", "r:RR"},
    {"max.relu.s16x2", "r:RR"},
    {"cvt.pack.sat.s16.s32", "r:rr"},
    {"cvt.pack.sat.u16.s32", "r:rr"},
    {"cvt.pack.sat.s8.s32.b32", "r:rrr"},
    {"cvt.pack.sat.u8.s32.b32", "r:rrr"},
    {"cvt.pack.sat.s4.s32.b32", "r:rrr"},
    {"cvt.pack.sat.u2.s32.b32", "r:rrr"},
    // More of f32 and f64.
    {"min.NaN.f32", "f:ff"},
    {"max.NaN.f32", "f:ff"},
    {"min.ftz.NaN.f32", "f:ff"},
    {"max.ftz.NaN.f32", "f:ff"},
    {"min.xorsign.abs.f32", "f:ff"},
    {"max.xorsign.abs.f32", "f:ff"},
    {"max.NaN.xorsign.abs.f32", "f:ff"},
    {"abs.ftz.f32", "f:f"},
    {"neg.ftz.f32", "f:f"},
    {"testp.finite.f32", "p:f"},
    {"testp.infinite.f32", "p:f"},
    {"testp.number.f32", "p:f"},
    {"testp.notanumber.f32", "p:f"},
    {"testp.normal.f32", "p:f"},
    {"testp.subnormal.f32", "p:f"},
    {"testp.normal.f64", "p:d"},
    {"testp.subnormal.f64", "p:d"},
    {"slct.ftz.b32.f32", "r:rrf"},
    {"slct.ftz.f64.f32", "d:ddf"},
    // Half precision.
    {"add.rn.f16", "e:ee"},
    {"sub.rn.f16", "e:ee"},
    {"mul.rn.f16", "e:ee"},
    {"fma.rn.f16", "e:eee"},
    {"add.rn.ftz.f16", "e:ee"},
    {"sub.rn.sat.f16", "e:ee"},
    {"mul.rn.ftz.sat.f16", "e:ee"},
    {"fma.rn.sat.f16", "e:eee"},
    {"fma.rn.ftz.f16", "e:eee"},
    {"fma.rn.relu.f16", "e:eee"},
    {"neg.f16", "e:e"},
    {"abs.f16", "e:e"},
    {"neg.ftz.f16", "e:e"},
    {"abs.ftz.f16", "e:e"},
    {"min.f16", "e:ee"},
    {"max.f16", "e:ee"},
    {"min.ftz.f16", "e:ee"},
    {"max.NaN.f16", "e:ee"},
    {"min.NaN.xorsign.abs.f16", "e:ee"},
    {"add.rn.f16x2", "E:EE"},
    {"sub.rn.f16x2", "E:EE"},
    {"mul.rn.f16x2", "E:EE"},
    {"fma.rn.f16x2", "E:EEE"},
    {"add.rn.ftz.sat.f16x2", "E:EE"},
    {"fma.rn.sat.f16x2", "E:EEE"},
    {"fma.rn.relu.f16x2", "E:EEE"},
    {"fma.rn.ftz.f16x2", "E:EEE"},
    {"neg.f16x2", "E:E"},
    {"abs.f16x2", "E:E"},
    {"min.f16x2", "E:EE"},
    {"max.ftz.f16x2", "E:EE"},
    {"max.NaN.f16x2", "E:EE"},
    {"mov.b32 $0, {$1, $2};", "E:ee"},
    {"mov.b32 {$0, $1}, $2;", "ee:E"},
    {"setp.lt.f16", "p:ee"},
    {"setp.equ.f16", "p:ee"},
    {"setp.ge.ftz.f16", "p:ee"},
    {"setp.nan.f16", "p:ee"},
    {"setp.gt.f16x2 $0|$1, $2, $3;", "pp:EE"},
    {"setp.neu.f16x2 $0|$1, $2, $3;", "pp:EE"},
    {"set.lt.f16.f16", "e:ee"},
    {"set.ne.u32.f16", "r:ee"},
    {"set.ge.f16x2.f16x2", "E:EE"},
    // bfloat16.
    {"add.rn.bf16", "b:bb"},
    {"sub.rn.bf16", "b:bb"},
    {"mul.rn.bf16", "b:bb"},
    {"fma.rn.bf16", "b:bbb"},
    {"fma.rn.relu.bf16", "b:bbb"},
    {"neg.bf16", "b:b"},
    {"abs.bf16", "b:b"},
    {"min.bf16", "b:bb"},
    {"max.NaN.bf16", "b:bb"},
    {"min.xorsign.abs.bf16", "b:bb"},
    {"add.rn.bf16x2", "B:BB"},
    {"sub.rn.bf16x2", "B:BB"},
    {"mul.rn.bf16x2", "B:BB"},
    {"fma.rn.bf16x2", "B:BBB"},
    {"fma.rn.relu.bf16x2", "B:BBB"},
    {"neg.bf16x2", "B:B"},
    {"abs.bf16x2", "B:B"},
    {"max.bf16x2", "B:BB"},
    {"min.NaN.bf16x2", "B:BB"},
    {"mov.b32 $0, {$1, $2};", "B:bb"},
    {"mov.b32 {$0, $1}, $2;", "bb:B"},
    {"setp.lt.bf16", "p:bb"},
    {"setp.geu.bf16", "p:bb"},
    {"setp.le.bf16x2 $0|$1, $2, $3;", "pp:BB"},
    // Conversions of the small formats.
    RF_ROUND("cvt", ".f16.f32", "e:f"),
    RF_ROUND("cvt", ".f16.f64", "e:d"),
    RF_ROUND("cvt", ".f16.s32", "e:r"),
    RF_ROUND("cvt", ".f16.u16", "e:H"),
    RF_ROUND("cvt", ".f16.u64", "e:l"),
    {"cvt.rn.sat.f16.f32", "e:f"},
    {"cvt.rn.ftz.f16.f32", "e:f"},
    {"cvt.f32.f16", "f:e"},
    {"cvt.ftz.f32.f16", "f:e"},
    {"cvt.sat.f32.f16", "f:e"},
    {"cvt.f64.f16", "d:e"},
    {"cvt.rni.f16.f16", "e:e"},
    {"cvt.rpi.f16.f16", "e:e"},
    {"cvt.rmi.f16.f16", "e:e"},
    {"cvt.rzi.f16.f16", "e:e"},
    {"cvt.rni.s32.f16", "r:g"},
    {"cvt.rzi.u16.f16", "h:g"},
    {"cvt.rmi.s64.f16", "l:g"},
    {"cvt.rpi.u32.f16", "r:g"},
    {"cvt.rzi.s8.f16", "r:g"},
    {"cvt.rn.f16x2.f32", "E:ff"},
    {"cvt.rz.f16x2.f32", "E:ff"},
    {"cvt.rn.relu.f16x2.f32", "E:ff"},
    {"cvt.rn.relu.f16.f32", "e:f"},
    {"cvt.rn.bf16.f32", "b:f"},
    {"cvt.rz.bf16.f32", "b:f"},
    {"cvt.rn.relu.bf16.f32", "b:f"},
    {"cvt.rn.bf16x2.f32", "B:ff"},
    {"cvt.rz.bf16x2.f32", "B:ff"},
    {"cvt.rn.relu.bf16x2.f32", "B:ff"},
    {"cvt.f32.bf16", "f:b"},
    {"cvt.rna.tf32.f32 $0, $1; and.b32 $0, $0, 0xFFFFE000;", "r:F"},
    {"cvt.rn.tf32.f32 $0, $1; and.b32 $0, $0, 0xFFFFE000;", "r:F"},
    {"cvt.rz.tf32.f32 $0, $1; and.b32 $0, $0, 0xFFFFE000;", "r:F"},
    {"cvt.rn.satfinite.e4m3x2.f32", "h:FF"},
    {"cvt.rn.satfinite.e5m2x2.f32", "h:FF"},
    {"cvt.rn.satfinite.relu.e4m3x2.f32", "h:FF"},
    {"cvt.rn.f16x2.e4m3x2", "E:H"},
    {"cvt.rn.f16x2.e5m2x2", "E:H"},
    {"cvt.rn.relu.f16x2.e5m2x2", "E:H"},
};

#endif
