//! Runs of revm with its own handler, journal and frames, on a state in hash maps.

use std::error::Error;

use revm::bytecode::Bytecode;
use revm::context::TxEnv;
use revm::database::InMemoryDB;
use revm::primitives::hardfork::SpecId;
use revm::primitives::{Address, Bytes, TxKind, U256};
use revm::state::AccountInfo;
use revm::{Context, ExecuteEvm, MainBuilder, MainContext};

use crate::programs::Program;
use crate::{CALLER, CONTRACT, GAS_LIMIT};

/// A program on a state in memory, under the Ethereum rules with the same opcodes.
pub(crate) struct Bare {
    state: InMemoryDB,
    calls: Vec<Bytes>,
}

impl Bare {
    pub(crate) fn new(program: &Program) -> Result<Self, Box<dyn Error>> {
        let mut state = InMemoryDB::default();
        let contract = Address::from(CONTRACT);
        let code = Bytecode::new_raw(program.code.clone());
        let info = AccountInfo { code_hash: code.hash_slow(), code: Some(code), ..AccountInfo::default() };
        state.insert_account_info(contract, info);
        let funds = AccountInfo { balance: U256::from(u64::MAX), ..AccountInfo::default() };
        state.insert_account_info(Address::from(CALLER), funds);
        for (slot, value) in &program.cells {
            state.insert_account_storage(contract, *slot, *value)?;
        }
        Ok(Self { state, calls: program.calls.clone() })
    }

    /// Makes all calls on a fresh journal; returns their gas.
    pub(crate) fn run(&self) -> Result<u64, Box<dyn Error>> {
        let mut evm = Context::mainnet()
            .with_db(self.state.clone())
            .modify_cfg_chained(|config| config.spec = SpecId::CANCUN)
            .modify_block_chained(|block| block.gas_limit = GAS_LIMIT)
            .build_mainnet();
        let mut gas = 0;
        for (nonce, data) in self.calls.iter().enumerate() {
            let transaction = TxEnv {
                caller: Address::from(CALLER),
                gas_limit: GAS_LIMIT,
                gas_price: 0,
                kind: TxKind::Call(Address::from(CONTRACT)),
                data: data.clone(),
                nonce: nonce as u64,
                ..TxEnv::default()
            };
            let result = evm.transact_one(transaction)?;
            if !result.is_success() {
                return Err(format!("bare revm: {result:?}").into());
            }
            gas += result.tx_gas_used();
        }
        Ok(gas)
    }
}
