//! Calls that are designed to be expensive.

use std::error::Error;
use std::sync::Arc;

use rhizome_bitcoin::block_header::BlockHeader;
use rhizome_bitcoin::stored_header::StoredHeader;
use rhizome_bitcoin::{Input, OutPoint, Output, ScriptBuilder, Transaction as BitcoinTransaction};
use rhizome_bridge::recorded::{decode_federation, encode_long, long_cell};
use rhizome_evm::{BlockContext, Transaction};
use rhizome_primitives::abi::{self, AbiValue};
use rhizome_primitives::bridge_spec::BitcoinNetwork;
use rhizome_primitives::rules::Rule;
use rhizome_primitives::state::StateReader;
use rhizome_primitives::{Address, B256, Bytes, U256, hex};

use super::chains::{chain, mined, store, store_as};
use super::large::Overlay;
use super::measure::{Caller, Case};
use super::table::Table;

/// The main network's second header: it has the least possible work, so that anybody can make such a header.
const EASY_HEADER: [u8; 80] = hex!(
    "010000006fe28c0ab6f1b372c1a6a246ae63f74f931e8365e15a089c68d6190000000000982051fd1e4ba744bbbe680e1fee14677ba1a3c3540bf7b1cdb606e857233e0e61bc6649ffff001d01e36299"
);
/// A height at which the difficulty changes.
const RETARGET: i32 = 2_016 * 450;
/// Headers between two changes of the difficulty.
const INTERVAL: usize = 2_016;
/// Seconds between headers: so few that the difficulty rises and an easy header is refused.
const SECONDS: u32 = 60;
/// Headers of one call, and the depth at which a branch starts.
const HEADERS: usize = 500;
const BRANCH_DEPTH: usize = 500;
/// Inputs of a transaction that claims to spend from the federation.
const INPUTS: usize = 50;
/// Outputs of a long transaction.
const OUTPUTS: usize = 2_000;

struct Scene<'a> {
    name: &'a str,
    context: &'a BlockContext,
    base: &'a Arc<Overlay>,
    member: Option<Address>,
}

/// Measures every call that the scene's rules and network have.
pub(crate) fn all(
    name: &str,
    context: &BlockContext,
    base: &Arc<Overlay>,
    table: &mut Table,
) -> Result<(), Box<dyn Error>> {
    let scene = Scene { name, context, base, member: member(context, base) };
    let local = context.spec.bridge.bitcoin.network == BitcoinNetwork::Regtest;
    if local {
        scene.branch(table)?;
    } else {
        scene.retarget(table)?;
        scene.unindexed(table)?;
    }
    scene.registered(table)
}

/// A member of the stored federation.
fn member(context: &BlockContext, state: &Overlay) -> Option<Address> {
    let version = state.named("newFederationFormatVersion").and_then(|cell| long_cell(&cell).ok());
    let cell = state.named("newFederation")?;
    let version = version.map(|version| version as i32);
    let federation = decode_federation(&context.spec.bridge, context.rules, version, &cell).ok()?;
    Some(federation.members.first()?.rsk_key.rsk_address())
}

fn call(signature: &str, arguments: &[AbiValue]) -> Bytes {
    [&abi::selector(signature)[..], &abi::encode(arguments)].concat().into()
}

fn bytes(bytes: impl Into<Bytes>) -> AbiValue {
    AbiValue::Bytes(bytes.into())
}

impl Scene<'_> {
    fn active(&self, rule: Rule) -> bool {
        self.context.rules.active(rule)
    }

    fn state(&self) -> Overlay {
        Overlay::new(self.base.clone())
    }

    fn measure(
        &self,
        table: &mut Table,
        state: Overlay,
        sender: Option<Address>,
        data: Bytes,
        input: &str,
    ) -> Result<(), Box<dyn Error>> {
        let Some(sender) = sender else { return Ok(()) };
        let nonce = state.account(&sender.into())?.unwrap_or_default().nonce;
        let transaction = Transaction {
            hash: B256::with_last_byte(1),
            sender: sender.into(),
            nonce,
            gas_price: U256::ZERO,
            gas_limit: 0,
            to: Some(rhizome_bridge::ADDRESS),
            value: U256::ZERO,
            data: data.clone(),
            signature_accepted: true,
            signature: None,
            remasc: false,
        };
        let case = Case {
            caller: Caller::Transaction(Box::new(transaction)),
            data,
            context: self.context.clone(),
            state: Arc::new(state),
        };
        if let Some(stats) = case.measure()? {
            table.record(stats, false, format!("{}: {input}", self.name));
        }
        Ok(())
    }

    /// A header with a wrong difficulty is refused after a walk to the last change of the difficulty.
    fn retarget(&self, table: &mut Table) -> Result<(), Box<dyn Error>> {
        let long_work = self.active(Rule::Rskip454);
        let headers = chain(RETARGET - INTERVAL as i32, INTERVAL, SECONDS);
        let state = || -> Result<Overlay, Box<dyn Error>> {
            let mut state = self.state();
            store(&mut state, &headers, long_work, true)?;
            let head = headers.last().ok_or("no headers")?;
            store_as(&mut state, BlockHeader::new(EASY_HEADER).parent(), head, long_work)?;
            state.set_named("receiveHeadersLastTimestamp", encode_long(1));
            Ok(state)
        };
        let anybody = Some(Address::with_last_byte(0x77));
        if self.active(Rule::Rskip200) {
            let data = call("receiveHeader(bytes)", &[bytes(EASY_HEADER)]);
            self.measure(table, state()?, anybody, data, "refused where the difficulty changes")?;
        }
        let sender = if self.active(Rule::Rskip200) { self.member } else { anybody };
        let data = call("receiveHeaders(bytes[])", &[AbiValue::Array(vec![bytes(EASY_HEADER); HEADERS])]);
        self.measure(table, state()?, sender, data, "500 times one that is refused where the difficulty changes")
    }

    /// A header far below the head that the index does not have.
    fn unindexed(&self, table: &mut Table) -> Result<(), Box<dyn Error>> {
        if !self.active(Rule::Rskip220) {
            return Ok(());
        }
        let index = &self.context.spec.bridge.height_index;
        let depth = index.max_depth_below as i32;
        let head = index.activation as i32 + depth;
        let headers = chain(head - depth, depth as usize + 1, 600);
        let mut state = self.state();
        store(&mut state, &headers, self.active(Rule::Rskip454), false)?;
        let data = call("getBtcBlockchainBlockHeaderByHeight(uint256)", &[AbiValue::int(i64::from(head - depth))]);
        self.measure(table, state, Some(Address::with_last_byte(0x77)), data, "as deep as it goes without the index")
    }

    /// A long branch far below the head that does not become the best chain.
    fn branch(&self, table: &mut Table) -> Result<(), Box<dyn Error>> {
        let long_work = self.active(Rule::Rskip454);
        let first = StoredHeader {
            chain_work: U256::from(1),
            height: 0,
            header: self.context.spec.bridge.bitcoin.genesis_header.as_ref().try_into()?,
        };
        let up = |below: &StoredHeader| Some(mined(below));
        let known: Vec<_> = std::iter::successors(Some(first), up).take(BRANCH_DEPTH + HEADERS + 1).collect();
        let mut other = mined(&known[HEADERS]);
        // Another version makes another header.
        other.header[0] ^= 0x10;
        let mut nonce = 0_u32;
        while BlockHeader::new(other.header).hash()[0] >= 0x80 {
            nonce += 1;
            other.header[76..].copy_from_slice(&nonce.to_le_bytes());
        }
        let branch: Vec<_> = std::iter::successors(Some(other), up).take(HEADERS).collect();
        let mut state = self.state();
        store(&mut state, &known, long_work, true)?;
        let elements = branch.iter().map(|header| bytes(header.header)).collect();
        let data = call("receiveHeaders(bytes[])", &[AbiValue::Array(elements)]);
        let genesis = Address::new(hex!("6b045752f4d650a510a353bbf7e52988331e7f5b"));
        let member = self.member.unwrap_or(genesis);
        self.measure(table, state, Some(member), data, "500 of a branch from far below the head")
    }

    /// Transactions that are proven, with many inputs or outputs.
    fn registered(&self, table: &mut Table) -> Result<(), Box<dyn Error>> {
        let spec = &self.context.spec.bridge;
        let from = spec.pegout_index.activation + spec.pegout_index.grace_period;
        let after = from as i32 + 10;
        let before = spec.height_index.activation as i32 + 10;
        for (height, what) in [(after, "told by the index"), (before, "told by its inputs")] {
            for (transaction, inputs) in self.transactions()? {
                self.register(table, height, &transaction, &format!("{inputs}, {what}"))?;
            }
        }
        Ok(())
    }

    fn transactions(&self) -> Result<Vec<(BitcoinTransaction, String)>, Box<dyn Error>> {
        let version = self.base.named("newFederationFormatVersion").and_then(|cell| long_cell(&cell).ok());
        let Some(cell) = self.base.named("newFederation") else { return Ok(Vec::new()) };
        let (rules, version) = (self.context.rules, version.map(|version| version as i32));
        let federation = decode_federation(&self.context.spec.bridge, rules, version, &cell)?;
        let redeem = federation.redeem_script()?.to_vec();
        // Numbers in the form of a signature that no key made.
        let signature = rhizome_bitcoin::Signature::new(&[0x11; 32], &[0x22; 32]).to_input(1);
        let outpoint = |index: usize| OutPoint { txid: B256::repeat_byte(0x33), index: index as u32 };
        let output = || Output { value: 1_000_000, script: federation.output_script().unwrap_or_default() };
        let mut script = ScriptBuilder::default();
        script.op(0);
        (0..federation.threshold()).for_each(|_| {
            script.data(&signature);
        });
        script.op(0).data(&redeem);
        let program = script.finish();
        let mut spending = BitcoinTransaction::new(2);
        for index in 0..INPUTS {
            let mut input = Input::new(outpoint(index));
            input.script.clone_from(&program);
            spending.inputs.push(input);
        }
        spending.outputs.push(output());
        let mut paying = BitcoinTransaction::new(2);
        paying.inputs.push(Input::new(outpoint(0)));
        paying.outputs.extend((0..OUTPUTS).map(|_| Output { value: 1_000_000, script: vec![0x51] }));
        paying.outputs.push(output());
        Ok(vec![
            (spending, format!("{INPUTS} inputs that pretend to spend from the federation")),
            (paying, format!("{OUTPUTS} outputs")),
        ])
    }

    fn register(
        &self,
        table: &mut Table,
        height: i32,
        transaction: &BitcoinTransaction,
        input: &str,
    ) -> Result<(), Box<dyn Error>> {
        let raw = transaction.serialize();
        let txid = transaction.txid();
        // A block with this transaction only.
        let mut block = chain(height, 1, 1)[0].clone();
        block.header[36..68].copy_from_slice(rhizome_bitcoin::reversed(txid).as_slice());
        let depth = self.context.spec.bridge.confirmations.pegin as usize;
        let up = |below: &StoredHeader| Some(super::chains::unmined(below, 600));
        let headers: Vec<_> = std::iter::successors(Some(block), up).take(depth + 1).collect();
        let mut state = self.state();
        store(&mut state, &headers, self.active(Rule::Rskip454), true)?;
        let tree = [&1_u32.to_le_bytes()[..], &[1], rhizome_bitcoin::reversed(txid).as_slice(), &[1, 1]].concat();
        let arguments = [bytes(raw), AbiValue::int(i64::from(height)), bytes(tree)];
        let sender = if self.active(Rule::Rskip199) { Some(Address::with_last_byte(0x77)) } else { self.member };
        let data = call("registerBtcTransaction(bytes,int256,bytes)", &arguments);
        self.measure(table, state, sender, data, input)
    }
}
