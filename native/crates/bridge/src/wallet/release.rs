//! Transactions that release coins (bridge.md §4.6).

use std::collections::HashMap;

use rhizome_bitcoin::address::Address as BitcoinAddress;
use rhizome_bitcoin::multisig_input::set_skeleton;
use rhizome_bitcoin::transaction::MAX_MONEY;
use rhizome_bitcoin::{Input, OutPoint, Output, Script, Transaction};
use rhizome_primitives::bridge_spec::BitcoinSpec;
use rhizome_primitives::contract::ContractError;
use rhizome_primitives::rules::{Rule, RuleSet};

use super::WalletKeys;
use super::build_error::BuildError;
use super::coins::{candidates, check_amount, pick};
use super::fees::{Request, least_amount};
use crate::storage::utxo_list::Utxos;
use crate::storage::utxos::Utxo;

/// Bytes that the estimate counts for a signature in an input.
const SIGNATURE: usize = 75;
/// Longest standard transaction.
const MAX_STANDARD_BYTES: usize = 100_000;

/// A transaction that is ready to be signed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Release {
    /// The transaction, its inputs without signatures.
    pub transaction: Transaction,
    /// Values of its inputs in satoshi, in order.
    pub input_values: Vec<i64>,
}

impl Release {
    /// Sum of its inputs, satoshi.
    ///
    /// # Errors
    /// [`ContractError::Failed`] when it overflows.
    pub fn input_sum(&self) -> Result<i64, ContractError> {
        let sum = self.input_values.iter().try_fold(0_i64, |sum, value| sum.checked_add(*value));
        sum.ok_or_else(|| ContractError::Failed("the inputs overflow".into()))
    }

    /// The fee that it pays, satoshi.
    ///
    /// # Errors
    /// [`ContractError::Failed`] when an amount overflows.
    pub fn fee(&self) -> Result<i64, ContractError> {
        let fee = self.transaction.output_sum().and_then(|outputs| self.input_sum().ok()?.checked_sub(outputs));
        fee.ok_or_else(|| ContractError::Failed("the fee overflows".into()))
    }
}

/// Builds transactions from a federation's outputs.
pub struct ReleaseBuilder<'w> {
    /// The Bitcoin network.
    pub bitcoin: &'w BitcoinSpec,
    /// The rules of the block.
    pub rules: RuleSet,
    /// The outputs that may be spent, in stored order.
    pub utxos: &'w Utxos,
    /// The redeem scripts of the wallet.
    pub keys: &'w mut dyn WalletKeys,
    /// True when inputs are prepared with witnesses, like those of the spending federation.
    pub segwit: bool,
    /// Destination of change.
    pub change: BitcoinAddress,
    /// Satoshi per 1,000 bytes.
    pub fee_per_kb: i64,
}

impl ReleaseBuilder<'_> {
    /// Pays amounts to destinations, which bear the fee.
    ///
    /// # Errors
    /// [`BuildError`]
    pub fn pay(&mut self, outputs: &[(BitcoinAddress, i64)]) -> Result<Release, BuildError> {
        self.build(self.version(), outputs, self.change, true)
    }

    /// Moves `amount` to a federation, which also gets the change and bears the fee.
    ///
    /// # Errors
    /// [`BuildError`]
    pub fn migrate(&mut self, amount: i64, destination: BitcoinAddress) -> Result<Release, BuildError> {
        let version = if self.rules.active(Rule::Rskip376) { self.version() } else { 1 };
        self.build(version, &[(destination, amount)], destination, true)
    }

    /// Pays amounts to destinations; the fee is added.
    ///
    /// # Errors
    /// [`BuildError`]
    pub fn fund(&mut self, outputs: &[(BitcoinAddress, i64)]) -> Result<Release, BuildError> {
        self.build(self.version(), outputs, self.change, false)
    }

    /// Sends all funds to a destination, which bears the fee.
    ///
    /// # Errors
    /// [`BuildError`]
    pub fn empty_to(&mut self, destination: BitcoinAddress) -> Result<Release, BuildError> {
        let selection = pick(&candidates(self.utxos)?, MAX_MONEY);
        let script = destination.output_script(self.bitcoin);
        let outputs = [(script, 0)];
        let request = Request {
            outputs: &outputs,
            change_script: &[],
            fee_per_kb: self.fee_per_kb,
            recipients_pay: true,
            segwit: self.segwit,
        };
        let mut spending = Spending::default();
        let amount = request.empty(&selection, &mut |utxo| spending.bytes(self.keys, utxo))?;
        let [(script, _)] = outputs;
        self.complete(self.version(), &selection.outputs, vec![Output { value: amount, script }], &spending)
    }

    /// Version of the transactions that are built.
    fn version(&self) -> u32 {
        if self.rules.active(Rule::Rskip201) { 2 } else { 1 }
    }

    fn build(
        &mut self,
        version: u32,
        outputs: &[(BitcoinAddress, i64)],
        change: BitcoinAddress,
        recipients_pay: bool,
    ) -> Result<Release, BuildError> {
        let mut requested = Vec::with_capacity(outputs.len());
        for (destination, amount) in outputs {
            check_amount(*amount)?;
            requested.push((destination.output_script(self.bitcoin), *amount));
        }
        if requested.iter().any(|(script, amount)| *amount < least_amount(script)) {
            return Err(BuildError::Dust);
        }
        let change_script = change.output_script(self.bitcoin);
        let request = Request {
            outputs: &requested,
            change_script: &change_script,
            fee_per_kb: self.fee_per_kb,
            recipients_pay,
            segwit: self.segwit,
        };
        let mut spending = Spending::default();
        let payment = request.pay(self.utxos, &mut |utxo| spending.bytes(self.keys, utxo))?;
        let scripts = requested.into_iter().map(|(script, _)| script);
        let mut outputs: Vec<_> =
            scripts.zip(payment.amounts).map(|(script, value)| Output { value, script }).collect();
        outputs.extend(payment.change.map(|value| Output { value, script: change_script }));
        self.complete(version, &payment.selection.outputs, outputs, &spending)
    }

    /// Assembles the transaction and prepares its inputs for signing. The length is measured with the scripts of inputs
    /// if there is no witness, and without them if there is one.
    fn complete(
        &self,
        version: u32,
        selected: &[&Utxo],
        outputs: Vec<Output>,
        spending: &Spending,
    ) -> Result<Release, BuildError> {
        let outpoint = |utxo: &&Utxo| OutPoint { txid: utxo.transaction, index: utxo.index };
        let inputs = selected.iter().map(outpoint).map(Input::new).collect();
        let mut transaction = Transaction { version, inputs, outputs, lock_time: 0 };
        if transaction.inputs.is_empty() {
            return Err(ContractError::Failed("a release without inputs".into()).into());
        }
        if self.segwit {
            check_length(&transaction)?;
            self.prepare(&mut transaction, selected, spending)?;
        } else {
            self.prepare(&mut transaction, selected, spending)?;
            check_length(&transaction)?;
        }
        Ok(Release { transaction, input_values: selected.iter().map(|utxo| utxo.value).collect() })
    }

    fn prepare(
        &self,
        transaction: &mut Transaction,
        selected: &[&Utxo],
        spending: &Spending,
    ) -> Result<(), ContractError> {
        let mut skeletons: HashMap<&[u8], Input> = HashMap::new();
        for (input, utxo) in transaction.inputs.iter_mut().zip(selected) {
            let skeleton = match skeletons.get(&utxo.script[..]) {
                Some(skeleton) => skeleton,
                None => {
                    let mut skeleton = input.clone();
                    set_skeleton(&mut skeleton, spending.redeem_script(utxo)?, self.segwit)
                        .map_err(|error| ContractError::Failed(error.to_string()))?;
                    skeletons.entry(&utxo.script).or_insert(skeleton)
                }
            };
            input.script.clone_from(&skeleton.script);
            input.witness.clone_from(&skeleton.witness);
        }
        Ok(())
    }
}

fn check_length(transaction: &Transaction) -> Result<(), BuildError> {
    if transaction.serialize().len() > MAX_STANDARD_BYTES { Err(BuildError::TooLarge) } else { Ok(()) }
}

/// Redeem scripts by output script, and the additional bytes that a spending input needs.
#[derive(Default)]
struct Spending(HashMap<Vec<u8>, (Vec<u8>, usize)>);

impl Spending {
    fn bytes(&mut self, keys: &mut dyn WalletKeys, utxo: &Utxo) -> Result<usize, ContractError> {
        if let Some((_, bytes)) = self.0.get(&utxo.script[..]) {
            return Ok(*bytes);
        }
        let hash = Script::parse(&utxo.script).ok().and_then(|script| script.script_hash());
        let redeem = match hash {
            Some(hash) => keys.redeem_script(&hash)?,
            None => None,
        };
        let redeem = redeem.ok_or_else(unspendable)?;
        let signatures = Script::parse(&redeem)
            .and_then(|script| script.signatures_required())
            .map_err(|error| ContractError::Failed(error.to_string()))?;
        let bytes = usize::try_from(signatures).unwrap_or(0) * SIGNATURE + redeem.len();
        self.0.insert(utxo.script.to_vec(), (redeem, bytes));
        Ok(bytes)
    }

    fn redeem_script(&self, utxo: &Utxo) -> Result<&[u8], ContractError> {
        self.0.get(&utxo.script[..]).map(|(redeem, _)| &redeem[..]).ok_or_else(unspendable)
    }
}

fn unspendable() -> ContractError {
    ContractError::Failed("an output that the wallet cannot spend".into())
}
