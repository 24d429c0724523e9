//! Loops that call precompiled contracts.

use revm::bytecode::opcode::*;
use rhizome_bridge::method::DEFINITIONS;
use rhizome_contracts::Precompile;
use rhizome_primitives::abi::{AbiType, selector};
use rhizome_primitives::{Address, U256};

use super::case::Case;
use super::program::Program;
use super::scene::CODE_BYTES;
use super::{modular, points};
use crate::CONTRACT;

/// Bytes of the long calls, whose memory takes a third of the gas of a block.
const LONG: usize = 1 << 20;

pub(crate) fn all() -> Vec<Case> {
    Precompile::ALL.iter().flat_map(|contract| cases(*contract)).collect()
}

/// Every input with all gas, and some inputs with the minimum gas of a call.
fn cases(contract: Precompile) -> Vec<Case> {
    let subject = format!("{contract:?}");
    let case = |input: String, data: &[u8], gas: Option<u64>| Case {
        subject: subject.clone(),
        input,
        code: Program::forever(Program::default(), body(contract, data.len(), gas), data),
    };
    let mut cases: Vec<Case> = inputs(contract).into_iter().map(|(input, data)| case(input, &data, None)).collect();
    for (input, data) in unpaid(contract) {
        cases.push(case(format!("{input}, called without gas"), &data, Some(0)));
        cases.push(case(format!("{input}, called with one gas"), &data, Some(1)));
    }
    cases.push(nested(contract));
    cases
}

/// Code that calls the contract without gas and then itself with all gas: this is the worst case for work that depends
/// on the frames above. The code has the maximum length.
fn nested(contract: Precompile) -> Case {
    let own = Address::from(CONTRACT);
    let body = Program::default().call(CALL, contract.address(), 0, Some(0)).call(CALL, own, 0, None);
    let code = Program::in_code_of(CODE_BYTES, body);
    Case { subject: format!("{contract:?}"), input: "called without gas in frames of 24 KiB of code each".into(), code }
}

fn body(contract: Precompile, size: usize, gas: Option<u64>) -> Program {
    Program::default().call(CALL, contract.address(), size, gas).times(8)
}

/// The shortest meaningful input of each contract, and worse ones.
fn inputs(contract: Precompile) -> Vec<(String, Vec<u8>)> {
    let named = |name: &str, data: Vec<u8>| (name.to_owned(), data);
    match contract {
        Precompile::EcRecover => {
            let signature = |v: u8, s: [u8; 32]| {
                let mut data = vec![0xa7; 32];
                data.extend_from_slice(&U256::from(v).to_be_bytes::<32>());
                data.extend_from_slice(&points::SECP256K1_G[..32]);
                data.extend_from_slice(&s);
                data
            };
            vec![
                named("a signature", signature(27, [0x55; 32])),
                named("a signature with a low s", signature(28, U256::from(5).to_be_bytes())),
                named("an s out of range", signature(28, [0xff; 32])),
            ]
        }
        Precompile::Sha256 | Precompile::Ripemd160 | Precompile::Identity => {
            [0, 1, 32, 55, 64, 256, 1 << 10, 16 << 10, 256 << 10]
                .into_iter()
                .map(|size| (format!("{size} bytes"), vec![0xa5; size]))
                .collect()
        }
        Precompile::ModExp => modular::inputs(),
        Precompile::Bn128Add => {
            let off = [&points::BN128_G1[..63], &[3], &points::BN128_G1].concat();
            vec![
                named("two points", [points::BN128_G1, points::BN128_DOUBLE].concat()),
                named("a point twice", [points::BN128_G1, points::BN128_G1].concat()),
                named("infinity", vec![0; 128]),
                named("a point off the curve", off),
            ]
        }
        Precompile::Bn128Mul => [[0xff; 32], [0x55; 32], U256::from(2).to_be_bytes()]
            .into_iter()
            .map(|scalar| {
                (format!("times {:#x}", U256::from_be_bytes(scalar)), [&points::BN128_G1[..], &scalar].concat())
            })
            .collect(),
        Precompile::Bn128Pairing => pairings(),
        Precompile::Blake2F => [1u32, 12, 100, 10_000, 1_000_000]
            .into_iter()
            .map(|rounds| {
                let mut data = vec![0x5a; 213];
                data[..4].copy_from_slice(&rounds.to_be_bytes());
                data[212] = 1;
                (format!("{rounds} rounds"), data)
            })
            .collect(),
        Precompile::Secp256k1Add => vec![
            named("two points", [points::SECP256K1_G, points::SECP256K1_DOUBLE].concat()),
            named("a point twice", [points::SECP256K1_G, points::SECP256K1_G].concat()),
        ],
        Precompile::Secp256k1Mul => [[0xff; 32], [0x55; 32], U256::from(2).to_be_bytes()]
            .into_iter()
            .map(|scalar| {
                (format!("times {:#x}", U256::from_be_bytes(scalar)), [&points::SECP256K1_G[..], &scalar].concat())
            })
            .collect(),
        Precompile::HdWalletUtils => hd_wallet(),
        Precompile::BlockHeader => ["getMergedMiningTags(int256)", "getBlockHash(int256)", "getCumulativeWork(int256)"]
            .into_iter()
            .flat_map(|signature| {
                [0u64, 255, 3_999]
                    .map(|depth| (format!("{signature} of {depth}"), call(signature, &[U256::from(depth)])))
            })
            .collect(),
        Precompile::Environment => vec![named("getCallStackDepth()", call("getCallStackDepth()", &[]))],
        Precompile::Remasc => ["processMinersFees()", "getStateForDebugging()"]
            .map(|signature| named(signature, call(signature, &[])))
            .into(),
        Precompile::Bridge => bridge(),
    }
}

/// Calls that do much work before it is known that they cannot pay: long data, many heads, malformed text.
fn unpaid(contract: Precompile) -> Vec<(String, Vec<u8>)> {
    let named = |name: &str, data: Vec<u8>| (format!("{} KiB of {name}", data.len() >> 10), data);
    let zeros = || named("zeros", vec![0; LONG]);
    match contract {
        Precompile::HdWalletUtils => vec![
            zeros(),
            named("keys that are one and the same", keys(LONG, false)),
            named("keys of which the last is not there", keys(LONG, true)),
            named("malformed text", text("deriveExtendedPublicKey(string,string)", 0xff)),
            named("text", text("extractPublicKeyFromExtendedPublicKey(string)", b'x')),
        ],
        Precompile::Bridge => vec![
            zeros(),
            named("headers that are one and the same", heads("receiveHeaders(bytes[])", 0, LONG)),
            named("malformed text", text("addUnlimitedLockWhitelistAddress(string)", 0xff)),
        ],
        Precompile::BlockHeader => {
            let mut data = call("getBlockHash(int256)", &[U256::ZERO]);
            data.resize(LONG, 0);
            vec![zeros(), named("padding behind a depth", data)]
        }
        _ => vec![zeros()],
    }
}

fn call(signature: &str, words: &[U256]) -> Vec<u8> {
    let mut data = selector(signature).to_vec();
    words.iter().for_each(|word| data.extend_from_slice(&word.to_be_bytes::<32>()));
    data
}

/// A call with as many heads as fit, which all refer to the same bytes. `argument` is the index of the list among the
/// arguments.
fn heads(signature: &str, argument: usize, size: usize) -> Vec<u8> {
    let mut words = vec![U256::from(1); argument];
    words.push(U256::from(32 * (argument + 1)));
    let count = (size / 32 - 8 - argument) as u64;
    words.push(U256::from(count));
    // Offsets count from the end of the number of elements; the bytes follow the last head.
    words.extend(std::iter::repeat_n(U256::from(32 * count), count as usize));
    words.push(U256::from(33));
    words.extend([U256::ZERO; 2]);
    call(signature, &words)
}

fn keys(size: usize, broken: bool) -> Vec<u8> {
    let mut data = heads("getMultisigScriptHash(int256,bytes[])", 1, size);
    if broken {
        let last = data.len() - 4 * 32;
        data[last..last + 32].fill(0x7f);
    }
    data
}

/// One or two arguments that refer to the same long text.
fn text(signature: &str, byte: u8) -> Vec<u8> {
    let arguments = signature.matches("string").count();
    let mut words = vec![U256::from(32 * arguments); arguments];
    words.push(U256::from(LONG - 256));
    let mut data = call(signature, &words);
    data.resize(data.len() + LONG - 256, byte);
    data
}

fn pairings() -> Vec<(String, Vec<u8>)> {
    let pair = [&points::BN128_G1[..], &points::BN128_G2].concat();
    let mut off_subgroup = pair.clone();
    off_subgroup[191] ^= 1;
    let mut cases: Vec<(String, Vec<u8>)> =
        [0, 1, 2, 4, 8].into_iter().map(|count| (format!("{count} pairs"), pair.repeat(count))).collect();
    cases.push(("4 pairs, the last one with infinity".into(), [pair.repeat(3), vec![0; 192]].concat()));
    cases.push(("4 pairs of infinity".into(), vec![0; 768]));
    cases.push(("4 pairs, the last one off the curve".into(), [pair.repeat(3), off_subgroup].concat()));
    cases
}

fn hd_wallet() -> Vec<(String, Vec<u8>)> {
    let key = b"xpub661MyMwAqRbcFW31YEwpkMuc5THy2PSt5bDMsktWQcFF8syAmRUapSCGu8ED9W6oDMSgv6Zz8idoc4a6mr8BDzTJY47LJhkJ8UB7WEGuduB";
    let strings = |signature: &str, texts: &[&[u8]]| {
        let padded = |text: &[u8]| text.len().next_multiple_of(32);
        let mut at = 32 * texts.len();
        let mut words = Vec::new();
        let mut tail = Vec::new();
        for text in texts {
            words.push(U256::from(at));
            at += 32 + padded(text);
            tail.extend_from_slice(&U256::from(text.len()).to_be_bytes::<32>());
            tail.extend_from_slice(text);
            tail.resize(tail.len() + padded(text) - text.len(), 0);
        }
        [call(signature, &words), tail].concat()
    };
    let compressed = |index: usize| {
        let mut key = vec![2 + (index % 2) as u8];
        key.extend_from_slice(&points::SECP256K1_G[..32]);
        key
    };
    let multisig = |count: usize| {
        let mut words = vec![U256::from(1), U256::from(64), U256::from(count)];
        words.extend((0..count).map(|index| U256::from(32 * count + 96 * index)));
        let mut data = call("getMultisigScriptHash(int256,bytes[])", &words);
        for index in 0..count {
            data.extend_from_slice(&U256::from(33).to_be_bytes::<32>());
            data.extend_from_slice(&compressed(index));
            data.resize(data.len() + 31, 0);
        }
        data
    };
    let long_path = vec![b'0'; 64 << 10];
    vec![
        ("toBase58Check".into(), {
            let mut data = call("toBase58Check(bytes,int256)", &[U256::from(64), U256::from(5), U256::from(20)]);
            data.extend_from_slice(&[0xff; 32]);
            data
        }),
        (
            "10 derivations".into(),
            strings("deriveExtendedPublicKey(string,string)", &[key, b"1/2/3/4/5/6/7/8/9/2147483647"]),
        ),
        ("a path of 64 KiB".into(), strings("deriveExtendedPublicKey(string,string)", &[key, &long_path])),
        ("extraction of a key".into(), strings("extractPublicKeyFromExtendedPublicKey(string)", &[key])),
        (
            "a long text for a key".into(),
            strings("extractPublicKeyFromExtendedPublicKey(string)", &[&[b'x'; 64 << 10]]),
        ),
        ("multi-signature of 2 keys".into(), multisig(2)),
        ("multi-signature of 15 keys".into(), multisig(15)),
    ]
}

/// Every method of the Bridge that contracts may call, with small arguments; methods with lists also with many
/// elements.
fn bridge() -> Vec<(String, Vec<u8>)> {
    let mut cases = vec![("data that name no method".to_owned(), vec![1, 2, 3, 4])];
    for definition in DEFINITIONS {
        let signature = definition.signature();
        let mut words: Vec<U256> = Vec::new();
        // Dynamic arguments all refer to the empty one that follows the heads.
        let end = U256::from(32 * definition.inputs.len());
        for kind in definition.inputs {
            words.push(match kind {
                AbiType::Bytes | AbiType::String | AbiType::Array(_) => end,
                _ => U256::from(1),
            });
        }
        words.extend([U256::ZERO; 2]);
        cases.push((signature.clone(), call(&signature, &words)));
    }
    cases.push(("receiveHeaders of 1,000 headers".into(), heads("receiveHeaders(bytes[])", 0, 32 << 10)));
    cases
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_contract_has_inputs() {
        for contract in Precompile::ALL {
            assert!(!inputs(*contract).is_empty() && !unpaid(*contract).is_empty(), "{contract:?}");
        }
    }
}
