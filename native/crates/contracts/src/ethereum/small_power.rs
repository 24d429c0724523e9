//! Powers modulo a number below 2^32. The price of a modular power falls with the square of the modulus' length, so a
//! long exponent is almost free here. One step per exponent bit, the right algorithm for long moduli, would take far
//! longer than the gas pays for.

/// base^exponent mod `modulus`, which is above one. Big-endian, without leading zeros.
pub(super) fn small_power(base: &[u8], exponent: &[u8], modulus: u32) -> u32 {
    let modulus = u64::from(modulus);
    let base = remainder(base, modulus);
    // With lengths beyond these, computing Euler's function of the modulus is faster than stepping through the
    // exponent's bits. The exponent is then above 31, the largest exponent of a prime in the modulus.
    let power = if exponent.len() > 4 && (exponent.len() as u64) * 8 > modulus.isqrt() {
        // This form of Euler's theorem also holds for bases that share a factor with the modulus.
        let totient = totient(modulus);
        raise(base, &(remainder(exponent, totient) + totient).to_be_bytes(), modulus)
    } else {
        raise(base, exponent, modulus)
    };
    power as u32
}

fn raise(base: u64, exponent: &[u8], modulus: u64) -> u64 {
    let mut power = 1;
    for byte in exponent {
        for bit in (0..8).rev() {
            power = power * power % modulus;
            if byte >> bit & 1 != 0 {
                power = power * base % modulus;
            }
        }
    }
    power
}

/// A number modulo one below 2^32, four bytes at a time.
fn remainder(number: &[u8], modulus: u64) -> u64 {
    let (first, rest) = number.split_at(number.len() % 4);
    let word = |bytes: &[u8]| bytes.iter().fold(0, |word, byte| word << 8 | u64::from(*byte));
    // The value is below 2^32 before each step, because the modulus is.
    rest.chunks(4).fold(word(first) % modulus, |remainder, chunk| (remainder << 32 | word(chunk)) % modulus)
}

/// Euler's function.
fn totient(number: u64) -> u64 {
    let (mut rest, mut totient) = (number, number);
    let mut factor = 2;
    while factor * factor <= rest {
        if rest.is_multiple_of(factor) {
            while rest.is_multiple_of(factor) {
                rest /= factor;
            }
            totient -= totient / factor;
        }
        factor += if factor == 2 { 1 } else { 2 };
    }
    if rest > 1 {
        totient -= totient / rest;
    }
    totient
}

#[cfg(test)]
mod tests {
    use revm_precompile::{Crypto, DefaultCrypto};

    use super::*;

    /// A reproducible stream of byte strings; the first byte of each is not zero.
    fn pieces() -> impl FnMut(usize) -> Vec<u8> {
        let mut state = 7u64;
        move |length| {
            let mut bytes: Vec<u8> = (0..length)
                .map(|_| {
                    state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                    (state >> 56) as u8
                })
                .collect();
            if let Some(first) = bytes.first_mut() {
                *first |= 1;
            }
            bytes
        }
    }

    fn expected(base: &[u8], exponent: &[u8], modulus: u32) -> u32 {
        let modulus = modulus.to_be_bytes();
        let significant = &modulus[modulus.iter().take_while(|&&byte| byte == 0).count()..];
        let power = DefaultCrypto.modexp(base, exponent, significant).expect("never fails");
        power.iter().fold(0, |word, byte| word << 8 | u32::from(*byte))
    }

    #[test]
    fn agrees_with_the_general_algorithm() {
        let mut piece = pieces();
        let primes_and_powers = [65_521, 65_536, 46_656, 16_777_213, 4_294_967_291, 4_294_967_295, 2_147_483_648];
        for modulus in (2..=260).chain(primes_and_powers) {
            for (base, exponent) in [(1, 1), (1, 4), (2, 5), (3, 6), (1, 40), (9, 33), (4, 300)] {
                let (base, exponent) = (piece(base), piece(exponent));
                assert_eq!(
                    small_power(&base, &exponent, modulus),
                    expected(&base, &exponent, modulus),
                    "{base:?} {exponent:?} {modulus}"
                );
            }
        }
        // A prime of 32 bits with an exponent long enough for the factorisation.
        let (base, exponent) = (piece(4), piece(9_000));
        for modulus in [4_294_967_291, 4_294_967_290, 3_221_225_472] {
            assert_eq!(small_power(&base, &exponent, modulus), expected(&base, &exponent, modulus));
        }
    }

    #[test]
    fn bases_that_share_factors_with_the_modulus() {
        for base in 0..=64u8 {
            for modulus in [4, 8, 12, 27, 36, 64, 72, 128, 243, 250] {
                for exponent in [[1, 0, 0, 0, 0, 0], [1, 0, 0, 0, 0, 7], [255; 6]] {
                    let base = [base];
                    let significant = if base == [0] { &[][..] } else { &base[..] };
                    let expected = if base == [0] { 0 } else { expected(significant, &exponent, modulus) };
                    assert_eq!(small_power(significant, &exponent, modulus), expected, "{base:?} {modulus}");
                }
            }
        }
    }
}
