//! Payments of the Bridge in traces (evm.md §6.3).

use std::sync::Arc;

use rhizome_bridge_vectors::scenario::{Executed, watch_file};
use rhizome_evm::trace::Inspector;
use rhizome_evm::{Failure, Transfer};
use rhizome_primitives::account::{Account, AccountRef};
use rhizome_primitives::state::{StateError, StateReader};
use rhizome_primitives::{Address, B256, Bytes, U256};

/// Outputs of the federations, which a peg-in reads after it has paid.
const OUTPUTS: [&[u8]; 2] = [b"newFederationBtcUTXOs", b"oldFederationBtcUTXOs"];

#[derive(Default)]
struct Transfers(Vec<Transfer>);

impl Inspector for Transfers {
    const STEPS: bool = false;
    const FRAMES: bool = true;

    fn transfer(&mut self, transfer: &Transfer) {
        self.0.push(*transfer);
    }
}

/// A state in which some cells of the Bridge do not parse.
struct Broken(Arc<dyn StateReader>);

impl StateReader for Broken {
    fn account(&self, account: &AccountRef) -> Result<Option<Account>, StateError> {
        self.0.account(account)
    }
    fn code_info(&self, account: &AccountRef) -> Result<Option<(B256, u32)>, StateError> {
        self.0.code_info(account)
    }
    fn code(&self, account: &AccountRef) -> Result<Bytes, StateError> {
        self.0.code(account)
    }
    fn is_contract(&self, account: &AccountRef) -> Result<bool, StateError> {
        self.0.is_contract(account)
    }
    fn storage(&self, account: &AccountRef, key: &U256) -> Result<Option<Bytes>, StateError> {
        let broken =
            *account == rhizome_bridge::ADDRESS.into() && OUTPUTS.iter().any(|name| *key == U256::from_be_slice(name));
        if broken { Ok(Some(Bytes::from_static(&[0xc1, 1, 1]))) } else { self.0.storage(account, key) }
    }
    fn storage_cells(
        &self,
        account: &AccountRef,
        after: Option<&U256>,
        limit: usize,
    ) -> Result<Vec<(U256, Bytes)>, StateError> {
        self.0.storage_cells(account, after, limit)
    }
}

/// The balance of an account after the transaction, less that before.
fn gain(executed: &Executed<'_>, account: Address) -> U256 {
    let balance = |state: Result<Arc<dyn StateReader>, String>| {
        let account = state.expect("a state").account(&account.into()).expect("an account that is read");
        account.unwrap_or_default().balance.word()
    };
    balance(executed.after()) - balance(executed.before())
}

#[test]
fn payments_of_peg_ins_are_reported_unless_the_call_throws() {
    let path = rhizome_vectors::folder().join("bridge/bridge-calls-vetiver900.jsonl");
    let (mut paid, mut thrown) = (0, 0);
    let report = watch_file(&path, &mut |executed| {
        let mut transfers = Transfers::default();
        let Ok(outcome) = executed.inspect(executed.before().expect("a state"), &mut transfers) else { return };
        assert!(outcome.failure.is_none() || transfers.0.is_empty());
        for Transfer { from, to, amount } in &transfers.0 {
            assert_eq!(*from, rhizome_bridge::ADDRESS);
            assert_eq!(gain(executed, *to), *amount, "{}", executed.line()["note"]);
            paid += 1;
        }
        let direct = !executed.line()["bridgeGas"].is_null();
        if direct && !transfers.0.is_empty() {
            let mut none = Transfers::default();
            let state = Arc::new(Broken(executed.before().expect("a state")));
            let broken = executed.inspect(state, &mut none).expect("a valid transaction");
            assert!(
                matches!(broken.failure, Some(Failure::Precompile(_))),
                "it reads a broken cell: {}",
                executed.line()["note"]
            );
            assert!(none.0.is_empty(), "a call that throws tells none");
            thrown += 1;
        }
    });
    assert!(report.equal > 0 && paid > thrown && thrown > 0, "{paid} paid, {thrown} thrown");
}
