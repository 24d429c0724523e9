//! The state that loops run on.

use std::error::Error;
use std::sync::Arc;

use rhizome_contracts::Precompile;
use rhizome_evm::trace::NoInspector;
use rhizome_evm::{BlockContext, Evm, FeePayment, Journal, Position, Transaction};
use rhizome_primitives::account::{Account, AccountRef};
use rhizome_primitives::block::{AncestorBlock, BlockEnv};
use rhizome_primitives::spec::ChainSpec;
use rhizome_primitives::state::WriteSet;
use rhizome_primitives::{Address, B256, Bytes, U256};
use rhizome_store::{StateStore, StoreOptions};
use rhizome_trie::EMPTY_ROOT;

use crate::ours::spec;
use crate::{CALLER, CONTRACT};

/// Numbers of accounts, of cells of the contract, and of contracts with code.
pub(crate) const ACCOUNTS: u64 = 100_000;
pub(crate) const CELLS: u64 = 100_000;
pub(crate) const CONTRACTS: u64 = 1_000;
/// First addresses of accounts and of contracts; cells have the slots from 0 on.
pub(crate) const FIRST_ACCOUNT: u64 = 1 << 40;
pub(crate) const FIRST_CONTRACT: u64 = 1 << 48;
/// Bytes of code of each contract: the maximum.
pub(crate) const CODE_BYTES: usize = 24_576;
/// Ancestors that the BlockHeader contract reaches.
const ANCESTORS: u64 = 4_100;
/// Gas of the transaction: that of a block of the main network.
const GAS: u64 = 6_800_000;

pub(crate) struct Scene {
    spec: Arc<ChainSpec>,
    store: Arc<StateStore>,
    root: B256,
}

/// A contract on this state.
pub(crate) struct Contract<'a> {
    scene: &'a Scene,
    root: B256,
}

/// The address with this number.
pub(crate) fn numbered(number: u64) -> Address {
    Address::from_word(U256::from(number).into())
}

impl Scene {
    pub(crate) fn new() -> Result<Self, Box<dyn Error>> {
        let store = StateStore::in_memory(&StoreOptions::default());
        let contract = AccountRef::from(Address::from(CONTRACT));
        let funds = Account { balance: U256::from(u64::MAX).into(), ..Account::default() };
        let mut accounts: Vec<(AccountRef, Account)> =
            (0..ACCOUNTS).map(|index| (numbered(FIRST_ACCOUNT + index).into(), funds)).collect();
        let coded: Vec<AccountRef> = (0..CONTRACTS).map(|index| numbered(FIRST_CONTRACT + index).into()).collect();
        accounts.extend(coded.iter().map(|id| (*id, funds)));
        accounts.extend([(Address::from(CALLER).into(), funds), (contract, funds)]);
        // Calling a missing account costs more; those of the network exist since their first call.
        let native: Vec<AccountRef> = Precompile::ALL.iter().map(|contract| contract.address().into()).collect();
        accounts.extend(native.iter().map(|id| (*id, Account::default())));
        // STOP, then bytes that differ from contract to contract.
        let code = |index: usize| {
            let mut code = vec![0x5b; CODE_BYTES];
            code[0] = 0;
            code[CODE_BYTES - 8..].copy_from_slice(&(index as u64).to_be_bytes());
            Bytes::from(code)
        };
        let writes = WriteSet {
            accounts,
            code: coded.iter().enumerate().map(|(index, id)| (*id, code(index))).collect(),
            markers: coded.iter().copied().chain(native).chain([contract]).collect(),
            storage: (0..CELLS)
                .map(|slot| (contract, U256::from(slot), Some(Bytes::copy_from_slice(&(slot + 1).to_be_bytes()))))
                .collect(),
            ..WriteSet::default()
        };
        let applied = store.apply(EMPTY_ROOT, &writes)?;
        let root = applied.root();
        store.keep(applied);
        store.commit()?;
        (0..=ANCESTORS).for_each(|number| store.put_ancestor(ancestor(number)));
        Ok(Self { spec: Arc::new(spec()?), store, root })
    }

    /// A contract with this code.
    pub(crate) fn with_code(&self, code: &Bytes) -> Result<Contract<'_>, Box<dyn Error>> {
        let contract = AccountRef::from(Address::from(CONTRACT));
        let writes = WriteSet { code: vec![(contract, code.clone())], ..WriteSet::default() };
        let applied = self.store.apply(self.root, &writes)?;
        let root = applied.root();
        self.store.keep(applied);
        Ok(Contract { scene: self, root })
    }
}

impl Contract<'_> {
    /// Calls the contract with the gas of a block and returns the gas used. The caches of the head that earlier runs
    /// filled are dropped; nodes of the trie stay in memory.
    pub(crate) fn run(&self) -> Result<u64, Box<dyn Error>> {
        let Scene { spec, store, .. } = self.scene;
        let block = BlockEnv {
            number: ANCESTORS + 1,
            timestamp: 1,
            gas_limit: GAS,
            parent_hash: block_hash(ANCESTORS),
            ..BlockEnv::default()
        };
        let context = BlockContext::new(spec.clone(), block, store.ancestry(block_hash(ANCESTORS)));
        let mut evm = Evm::new(context, Journal::new(store.reader(self.root)?));
        let position = Position { index: 0, gas_used: 0, gas_limit: GAS };
        let transaction = Transaction {
            hash: B256::ZERO,
            sender: Address::from(CALLER).into(),
            nonce: U256::ZERO,
            gas_price: U256::ZERO,
            gas_limit: GAS,
            to: Some(Address::from(CONTRACT)),
            value: U256::ZERO,
            data: Bytes::new(),
            signature_accepted: true,
            signature: None,
            remasc: false,
        };
        Ok(evm.transact(&transaction, position, FeePayment::AtOnce, &mut NoInspector)?.gas_used)
    }
}

fn block_hash(number: u64) -> B256 {
    B256::from(U256::from(number + 1))
}

fn ancestor(number: u64) -> AncestorBlock {
    AncestorBlock {
        gas_limit: Bytes::from_static(&[0x67, 0xc2, 0x80]),
        bitcoin_header: Some(Bytes::from(vec![1; 80])),
        bitcoin_coinbase: Some(Bytes::from(vec![1; 400])),
        ..rhizome_testing::ancestor(block_hash(number), number.checked_sub(1).map_or(B256::ZERO, block_hash), number)
    }
}
