//! Bitcoin's lengths, sometimes in an odd form.

use fastrand::Rng;

/// Numbers at which a reader may branch.
pub(super) const ODD: &[u64] = &[
    0,
    1,
    2,
    252,
    253,
    254,
    255,
    256,
    519,
    520,
    521,
    0x7fff,
    0xffff,
    0x1_0000,
    16_666,
    16_667,
    0x7fff_ffff,
    0x8000_0000,
    0xffff_ffff,
    0x1_0000_0000,
    i64::MAX as u64,
    1 << 63,
    u64::MAX,
];

/// Writes the shortest form.
pub(super) fn write(out: &mut Vec<u8>, value: u64) {
    match value {
        0..=252 => out.push(value as u8),
        253..=0xffff => wide(out, value, 2),
        0x1_0000..=0xffff_ffff => wide(out, value, 4),
        _ => wide(out, value, 8),
    }
}

fn wide(out: &mut Vec<u8>, value: u64, bytes: usize) {
    out.push(match bytes {
        2 => 0xfd,
        4 => 0xfe,
        _ => 0xff,
    });
    out.extend_from_slice(&value.to_le_bytes()[..bytes]);
}

/// Writes the number, except for one in `rarity`: that one takes more bytes, is off by one, or is another number.
pub(super) fn bent(out: &mut Vec<u8>, value: u64, rarity: u32, random: &mut Rng) {
    if random.u32(..rarity) != 0 {
        return write(out, value);
    }
    match random.u8(..5) {
        0 | 1 => wide(out, value, [2, 4, 8][random.usize(..3)]),
        2 => write(out, value.wrapping_add(1)),
        3 => write(out, value.wrapping_sub(1)),
        _ => write(out, ODD[random.usize(..ODD.len())]),
    }
}
