//! Loops over instructions.

use revm::bytecode::opcode::*;
use rhizome_primitives::U256;

use super::case::Case;
use super::program::Program;
use super::scene::{ACCOUNTS, CELLS, CODE_BYTES, CONTRACTS, FIRST_ACCOUNT, FIRST_CONTRACT, numbered};
use crate::CONTRACT;

/// Step of the walk over accounts and cells. Keys are hashed, so neighbours are far apart.
const STRIDE: u64 = 7_919;

/// Memory sizes that suit different prices of growth.
const SIZES: [usize; 4] = [32, 1 << 10, 64 << 10, 1 << 20];

pub(crate) fn all() -> Vec<Case> {
    let mut cases = arithmetic();
    cases.extend(state());
    cases.extend(memory());
    cases.extend(calls());
    cases
}

fn case(input: impl Into<String>, before: Program, body: Program, data: &[u8]) -> Case {
    Case { subject: "EVM".into(), input: input.into(), code: Program::forever(before, body, data) }
}

fn start() -> Program {
    Program::default()
}

fn arithmetic() -> Vec<Case> {
    let (wide, odd) = (U256::MAX, U256::MAX - U256::from(188));
    let binary = |name: &str, opcode: u8, left: U256, right: U256| {
        case(name, start(), start().push(right).push(left).ops(&[opcode, POP]).times(64), &[])
    };
    let ternary = |name: &str, opcode: u8| {
        let body = start().push(odd).push(wide - U256::from(1)).push(wide).ops(&[opcode, POP]);
        case(name, start(), body.times(64), &[])
    };
    let mut cases = vec![
        case("JUMPDEST", start(), start().op(JUMPDEST).times(4_000), &[]),
        case("PUSH32, POP", start(), start().push(wide).op(POP).times(256), &[]),
        case("PC, POP", start(), start().ops(&[PC, POP]).times(1_000), &[]),
        binary("DIV of 256 by 129 bits", DIV, wide, U256::from(3) << 127),
        binary("DIV of 256 by 65 bits", DIV, wide, U256::from(3) << 63),
        binary("SDIV", SDIV, wide >> 1, U256::from(3) << 127),
        binary("MOD", MOD, wide, U256::from(3) << 127),
        binary("SMOD", SMOD, wide >> 1, U256::from(3) << 127),
        binary("MUL", MUL, wide, wide),
        binary("BYTE", BYTE, U256::from(31), wide),
        binary("SAR", SAR, U256::from(77), wide),
        ternary("MULMOD", MULMOD),
        ternary("ADDMOD", ADDMOD),
        binary("EXP, exponent of 32 bytes", EXP, wide, wide),
        binary("EXP, exponent of 1 byte", EXP, wide, U256::from(255)),
        binary("SIGNEXTEND", SIGNEXTEND, U256::from(3), wide),
        case("JUMP", start(), start().op(JUMPDEST), &[]),
    ];
    for (name, opcode) in [("BLOCKHASH of the parent", 1u64), ("BLOCKHASH, 256 back", 256)] {
        let body = start().push(U256::from(opcode)).ops(&[NUMBER, SUB, BLOCKHASH, POP]);
        cases.push(case(name, start(), body.times(64), &[]));
    }
    for opcode in [ADDRESS, ORIGIN, GASPRICE, TIMESTAMP, CHAINID, SELFBALANCE, BASEFEE, RETURNDATASIZE, GAS] {
        let name = OpCode::new(opcode).map_or("", |known| known.as_str());
        cases.push(case(format!("{name}, POP"), start(), start().ops(&[opcode, POP]).times(256), &[]));
    }
    cases
}

/// The next of `count` numbers from `first` on, in a shuffled order; its state is on the stack.
fn walk(first: u64, count: u64) -> Program {
    let next = start().push(U256::from(STRIDE)).op(ADD).push(U256::from(count)).ops(&[SWAP1, MOD, DUP1]);
    if first == 0 { next } else { next.push(U256::from(first)).op(ADD) }
}

fn state() -> Vec<Case> {
    let before = || start().op(PUSH0);
    let account = || walk(FIRST_ACCOUNT, ACCOUNTS);
    let contract = || walk(FIRST_CONTRACT, CONTRACTS);
    let cell = || walk(0, CELLS);
    let none = || start().push(U256::from(1)).op(ADD).op(DUP1).push(U256::from(1) << 200).op(ADD);
    let read =
        |name: &str, target: Program, opcodes: &[u8]| case(name, start().op(PUSH0), target.ops(opcodes).times(16), &[]);
    let call = |name: &str, target: Program, opcode: u8, values: usize| {
        // Arguments above the address of the walk, then the address again, and no gas.
        let body = target.ops(&vec![PUSH0; values]).op(DUP1 + values as u8).op(PUSH0).ops(&[opcode, POP, POP]);
        case(name, start().op(PUSH0), body.times(8), &[])
    };
    let copy = |name: &str, target: Program, size: usize| {
        let body = target.push(U256::from(size)).ops(&[PUSH0, PUSH0, DUP4, EXTCODECOPY, POP]);
        case(name, start().op(PUSH0), body.times(8), &[])
    };
    vec![
        read("SLOAD of cells", cell(), &[SLOAD, POP]),
        read("SLOAD of cells that are not there", none(), &[SLOAD, POP]),
        read("TLOAD of words that are not there", none(), &[TLOAD, POP]),
        case("TSTORE of new words", before(), none().push(U256::from(1)).ops(&[SWAP1, TSTORE]).times(16), &[]),
        case("SSTORE of cells", before(), cell().ops(&[TIMESTAMP, SWAP1, SSTORE]).times(16), &[]),
        case("SSTORE of new cells", before(), none().ops(&[TIMESTAMP, SWAP1, SSTORE]).times(16), &[]),
        case("SSTORE that clears cells", before(), cell().ops(&[PUSH0, SWAP1, SSTORE]).times(16), &[]),
        read("BALANCE of accounts", account(), &[BALANCE, POP]),
        read("BALANCE of accounts that are not there", none(), &[BALANCE, POP]),
        read("EXTCODESIZE of accounts", account(), &[EXTCODESIZE, POP]),
        read("EXTCODESIZE of contracts", contract(), &[EXTCODESIZE, POP]),
        read("EXTCODEHASH of accounts", account(), &[EXTCODEHASH, POP]),
        read("EXTCODEHASH of accounts that are not there", none(), &[EXTCODEHASH, POP]),
        read("EXTCODEHASH of contracts", contract(), &[EXTCODEHASH, POP]),
        copy("EXTCODECOPY of a word of contracts", contract(), 32),
        copy("EXTCODECOPY of whole contracts", contract(), CODE_BYTES),
        copy("EXTCODECOPY of accounts", account(), 32),
        call("CALL of accounts", account(), CALL, 5),
        call("CALL of accounts that are not there", none(), CALL, 5),
        call("CALL of contracts of 24 KiB", contract(), CALL, 5),
        call("STATICCALL of accounts", account(), STATICCALL, 4),
        call("STATICCALL of accounts that are not there", none(), STATICCALL, 4),
        call("STATICCALL of contracts of 24 KiB", contract(), STATICCALL, 4),
        call("DELEGATECALL of contracts of 24 KiB", contract(), DELEGATECALL, 4),
    ]
}

fn memory() -> Vec<Case> {
    let mut cases = Vec::new();
    for size in SIZES {
        let text = if size < 1024 { format!("{size} bytes") } else { format!("{} KiB", size >> 10) };
        let grown = || start().push(U256::from(size - 32)).op(MLOAD).op(POP);
        let size = U256::from(size);
        let copy = |opcode: u8| start().push(size).ops(&[PUSH0, PUSH0, opcode]).times(16);
        cases.extend([
            case(format!("SHA3 of {text}"), grown(), start().push(size).ops(&[PUSH0, KECCAK256, POP]).times(16), &[]),
            case(
                format!("MCOPY of {text}"),
                grown(),
                start().push(size).push(U256::from(1)).ops(&[PUSH0, MCOPY]).times(16),
                &[],
            ),
            case(format!("CALLDATACOPY of {text}"), grown(), copy(CALLDATACOPY), &[]),
            case(format!("CODECOPY of {text}"), grown(), copy(CODECOPY), &[]),
            case(format!("LOG0 of {text}"), grown(), start().push(size).ops(&[PUSH0, LOG0]).times(16), &[]),
            case(
                format!("CREATE of {text}"),
                grown(),
                start().push(size.min(U256::from(49_152))).ops(&[PUSH0, PUSH0, CREATE, POP]),
                &[],
            ),
            case(
                format!("CREATE2 of {text}"),
                grown().op(PUSH0),
                start()
                    .push(U256::from(1))
                    .op(ADD)
                    .op(DUP1)
                    .push(size.min(U256::from(49_152)))
                    .ops(&[PUSH0, PUSH0, CREATE2, POP]),
                &[],
            ),
        ]);
    }
    cases.push(case(
        "LOG4 without data",
        start(),
        start().ops(&[PUSH0, PUSH0, PUSH0, PUSH0, PUSH0, PUSH0, LOG4]).times(64),
        &[],
    ));
    cases.push(case(
        "MSTORE that grows memory",
        start().op(PUSH0),
        start().push(U256::from(32)).op(ADD).ops(&[DUP1, DUP1, MSTORE]).times(64),
        &[],
    ));
    cases
}

fn calls() -> Vec<Case> {
    let own = U256::from_be_slice(&CONTRACT);
    let mut cases = Vec::new();
    for (name, opcode, zeros) in
        [("CALL", CALL, 5), ("CALLCODE", CALLCODE, 5), ("DELEGATECALL", DELEGATECALL, 4), ("STATICCALL", STATICCALL, 4)]
    {
        // A tree: each frame calls the contract itself with all gas, so that frames nest to the limit and then fan out.
        let body = start().ops(&vec![PUSH0; zeros]).push(own).ops(&[GAS, opcode, POP]);
        cases.push(case(format!("{name} of itself with all gas"), start(), body, &[]));
        let body = start().ops(&vec![PUSH0; zeros]).push(own).push(U256::from(0)).ops(&[opcode, POP]);
        cases.push(case(format!("{name} of itself without gas"), start(), body.times(16), &[]));
        let large = start().ops(&[PUSH0, PUSH0]).push(U256::from(1u64 << 20)).ops(&vec![PUSH0; zeros - 3]);
        let body = large
            .push(U256::from_be_slice(numbered(FIRST_CONTRACT).as_slice()))
            .push(U256::from(100))
            .ops(&[opcode, POP]);
        cases.push(case(format!("{name} of a contract with 1 MiB of data"), start(), body.times(16), &[]));
    }
    cases
}
