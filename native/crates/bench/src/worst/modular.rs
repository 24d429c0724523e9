//! Inputs of modular exponentiation: lengths around the steps of the price, and moduli that are hard for the
//! algorithms.

use rhizome_primitives::U256;

/// Bytes of base and modulus.
const LENGTHS: [usize; 17] = [1, 4, 5, 8, 9, 16, 24, 32, 64, 65, 128, 256, 512, 1_024, 2_048, 4_096, 8_192];
/// Bytes of the exponent.
const EXPONENTS: [usize; 8] = [1, 2, 8, 32, 33, 64, 256, 1_024];
/// Inputs with a higher price are left out, because few of them would fit the gas.
const MAX_PRICE: u64 = 600_000;

/// Moduli of the given length, by the property that makes them hard.
fn moduli(length: usize) -> Vec<(&'static str, Vec<u8>)> {
    let filled = |last: u8| {
        let mut bytes: Vec<u8> = (0..length).map(|index| (index as u8).wrapping_mul(167) | 0x81).collect();
        bytes[0] = 0xff;
        bytes[length - 1] = last;
        bytes
    };
    let mut power = vec![0; length];
    power[0] = 0x80;
    let mut half = filled(0);
    half[length / 2..].fill(0);
    let mut three = vec![0; length];
    three[0] = 0xc0;
    let mut low = vec![0; length];
    low[0] = 0x80;
    low[length - 1] |= 1;
    vec![
        ("odd", filled(0xfd)),
        ("even", filled(0xfc)),
        ("a power of two", power),
        ("odd times a power of two", half),
        ("three times a power of two", three),
        ("2^n + 1", low),
    ]
}

/// The call data.
fn input(base: &[u8], exponent: &[u8], modulus: &[u8]) -> Vec<u8> {
    let lengths = [base.len(), exponent.len(), modulus.len()];
    let words = lengths.iter().flat_map(|length| U256::from(*length).to_be_bytes::<32>());
    words.chain([base, exponent, modulus].concat()).collect()
}

/// Approximate price, which is enough to filter inputs (EIP-198).
fn price(length: usize, exponent: usize) -> u64 {
    let length = length as u64;
    let square = length * length;
    let complexity = match length {
        0..=64 => square,
        65..=1024 => square / 4 + 96 * length - 3072,
        _ => square / 16 + 480 * length - 199_680,
    };
    complexity * (exponent as u64 * 8 - 1).max(1) / 20
}

pub(crate) fn inputs() -> Vec<(String, Vec<u8>)> {
    let mut found = Vec::new();
    for length in LENGTHS {
        for exponent in EXPONENTS {
            if price(length, exponent) > MAX_PRICE {
                continue;
            }
            for (kind, modulus) in moduli(length) {
                // Set bits cost multiplications; a single bit in the first 32 bytes has the lowest price.
                let mut sparse = vec![0xff; exponent];
                sparse[..exponent.min(32)].fill(0);
                let mut patterns = vec![("full", vec![0xff; exponent])];
                if exponent > 32 {
                    patterns.push(("with 32 leading zeros", sparse));
                }
                for (pattern, exponent) in patterns {
                    let base = vec![0xfe; length];
                    found.push((
                        format!("{length} bytes, {kind}; exponent of {} bytes, {pattern}", exponent.len()),
                        input(&base, &exponent, &modulus),
                    ));
                }
            }
        }
        // The lowest price of a length, where costs that do not depend on the exponent matter most.
        for (kind, modulus) in moduli(length) {
            let name = format!("{length} bytes, {kind}; exponent 3");
            found.push((name, input(&vec![0xfe; length], &[3], &modulus)));
        }
        // A short base, a short modulus.
        let long = vec![0xff; 32];
        found.push((format!("modulus of {length} bytes, base of one"), input(&[3], &long, &vec![0xff; length])));
        found.push((format!("base of {length} bytes, modulus of one"), input(&vec![0xfe; length], &long, &[0xfb])));
        found.push((format!("base of {length} bytes, modulus of five"), input(&vec![0xfe; length], &long, &[0xfb; 5])));
    }
    for exponent in [10_000, 100_000] {
        found.push((
            format!("modulus of one byte, exponent of {exponent}"),
            input(&[2], &vec![0xff; exponent], &[0xfb]),
        ));
    }
    found.retain(|(_, data)| data.len() < 1 << 20);
    found
}
