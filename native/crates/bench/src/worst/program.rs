//! Bytecode of loops.

use revm::bytecode::opcode::*;
use rhizome_primitives::{Address, Bytes, U256};

/// Bytecode that is being built.
#[derive(Clone, Default)]
pub(crate) struct Program(Vec<u8>);

impl Program {
    pub(crate) fn op(mut self, opcode: u8) -> Self {
        self.0.push(opcode);
        self
    }

    pub(crate) fn ops(mut self, opcodes: &[u8]) -> Self {
        self.0.extend_from_slice(opcodes);
        self
    }

    pub(crate) fn push(mut self, value: impl TryInto<U256>) -> Self {
        let value = value.try_into().unwrap_or_default();
        let bytes = value.to_be_bytes_trimmed_vec();
        self.0.push(PUSH0 + bytes.len() as u8);
        self.0.extend_from_slice(&bytes);
        self
    }

    /// Copies the bytes that follow the code into memory from 0 on. It must be used once, as the first part, in code
    /// that [`Self::forever`] completes.
    fn load(length: usize, at: usize) -> Self {
        let mut program = Self::default();
        program.0.push(PUSH4);
        program.0.extend_from_slice(&(length as u32).to_be_bytes());
        program.0.push(PUSH4);
        program.0.extend_from_slice(&(at as u32).to_be_bytes());
        program.ops(&[PUSH0, CODECOPY])
    }

    /// `body` until the gas is used up, in code of `size` bytes.
    pub(crate) fn in_code_of(size: usize, body: Self) -> Bytes {
        let mut code = Self::default().op(JUMPDEST).ops(&body.0).ops(&[PUSH0, JUMP]).0;
        code.resize(size, STOP);
        code.into()
    }

    /// `before` once, then `body` until the gas is used up. The code is followed by `data`, which it copies to memory
    /// from 0 on when it starts.
    pub(crate) fn forever(before: Self, body: Self, data: &[u8]) -> Bytes {
        let code = |at: usize| {
            let mut code = Self::load(data.len(), at);
            code.0.extend_from_slice(&before.0);
            let start = code.0.len();
            code.0.push(JUMPDEST);
            code.0.extend_from_slice(&body.0);
            code.0.push(PUSH4);
            code.0.extend_from_slice(&(start as u32).to_be_bytes());
            code.0.push(JUMP);
            code.0
        };
        let mut bytes = code(code(0).len());
        bytes.extend_from_slice(data);
        bytes.into()
    }

    /// The same body several times, so that the jump back hardly matters.
    pub(crate) fn times(self, count: usize) -> Self {
        Self(self.0.repeat(count))
    }

    /// Calls a contract with the first `size` bytes of memory and drops the result.
    pub(crate) fn call(self, opcode: u8, to: Address, size: usize, gas: Option<u64>) -> Self {
        let program = self.ops(&[PUSH0, PUSH0]).push(U256::from(size)).op(PUSH0);
        let program = if matches!(opcode, CALL | CALLCODE) { program.op(PUSH0) } else { program };
        let program = program.push(U256::from_be_slice(to.as_slice()));
        let program = match gas {
            Some(gas) => program.push(U256::from(gas)),
            None => program.op(GAS),
        };
        program.ops(&[opcode, POP])
    }
}
