//! Speed of the executor against the bare interpreter on the same bytecode, and of whole calls.
//!
//! `cargo run --release -p rhizome-evm --example evm_speed`

use std::hint::black_box;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use revm_bytecode::Bytecode;
use revm_interpreter::host::DummyHost;
use revm_interpreter::instructions::gas_table_spec;
use revm_interpreter::interpreter::{EthInterpreter, ExtBytecode};
use revm_interpreter::{InputsImpl, Interpreter, SharedMemory, instruction_table};
use revm_primitives::hardfork::SpecId;
use rhizome_evm::{BlockContext, LocalCall, Message, call};
use rhizome_primitives::block::{BlockEnv, NoAncestry};
use rhizome_primitives::interrupt::Interrupt;
use rhizome_primitives::state::StateReader;
use rhizome_primitives::{Address, Bytes, hex};
use rhizome_testing::MemoryState;

const REPEATS: usize = 15;
const GAS: u64 = 400_000_000;
const TARGET: Address = Address::repeat_byte(0x77);

/// Loops that end when the counter that is pushed first reaches zero.
const PROGRAMS: &[(&str, &str)] = &[
    ("arithmetic", "622dc6c05b80800281018118506001900380600457"),
    ("hashing", "6203d0905b60405f2050600190038060045700"),
    ("memory", "62186a005b805f52602051810160405260205f60605e6001900380600457"),
    ("jumps", "622dc6c05b6008565b6001900380600457"),
];

fn context() -> BlockContext {
    BlockContext::new(
        Arc::new(rhizome_testing::regtest(|_| true)),
        BlockEnv { number: 1, ..BlockEnv::default() },
        Arc::new(NoAncestry),
    )
}

fn bare(code: &Bytes) -> u64 {
    let table = instruction_table::<EthInterpreter, DummyHost>();
    let gas = gas_table_spec(SpecId::CANCUN);
    let mut host = DummyHost::new(SpecId::CANCUN);
    let code = ExtBytecode::new(Bytecode::new_legacy(code.clone()));
    let mut interpreter: Interpreter =
        Interpreter::new(SharedMemory::new(), code, InputsImpl::default(), false, SpecId::CANCUN, GAS);
    interpreter.run_plain(&table, &gas, &mut host);
    interpreter.gas.total_gas_spent()
}

fn ours(context: &BlockContext, state: &Arc<dyn StateReader>, interrupt: Option<Interrupt>) -> u64 {
    let message = Message { to: Some(TARGET), ..Message::default() };
    let request = LocalCall { context: context.clone(), message, gas: GAS, overrides: &[], interrupt, effort: None };
    call(&request, state.clone()).expect("a call").gas_used - 21_000
}

fn main() {
    let context = context();
    println!("Mgas/s, fastest of {REPEATS}");
    println!("{:12} {:>10} {:>12} {:>14} {:>7}", "program", "revm bare", "executor", "interruptible", "ratio");
    for (name, code) in PROGRAMS {
        let code = Bytes::from(hex::decode(code).expect("hex digits"));
        let state = MemoryState::default().with_code(TARGET, code.clone()).shared();
        let flag = Arc::new(AtomicBool::new(false));
        // The contenders alternate, so that other load on the machine affects all alike.
        let mut times = [Duration::MAX; 3];
        let mut gas = [0; 3];
        let runs: [&dyn Fn() -> u64; 3] =
            [&|| bare(&code), &|| ours(&context, &state, None), &|| ours(&context, &state, Some(flag.clone().into()))];
        for _ in 0..REPEATS {
            for ((best, gas), run) in times.iter_mut().zip(&mut gas).zip(runs) {
                let start = Instant::now();
                *gas = run();
                *best = start.elapsed().min(*best);
            }
        }
        let [bare_time, our_time, stop_time] = times;
        assert_eq!(gas, [gas[0]; 3], "{name}: the programs use the same gas");
        let speed = |time: Duration| gas[0] as f64 / time.as_secs_f64() / 1e6;
        let ratio = bare_time.as_secs_f64() / our_time.as_secs_f64();
        println!(
            "{name:12} {:>10.0} {:>12.0} {:>14.0} {ratio:>7.2}",
            speed(bare_time),
            speed(our_time),
            speed(stop_time)
        );
    }
    whole_calls(&context);
}

/// A call that hashes an address into a mapping, reads the cell and returns it, as `balanceOf` does.
fn whole_calls(context: &BlockContext) {
    let code = Bytes::from(hex::decode("335f525f60205260405f20545f5260205ff3").expect("hex digits"));
    let state = MemoryState::default().with_code(TARGET, code).shared();
    const CALLS: u64 = 100_000;
    let mut best = Duration::MAX;
    for _ in 0..REPEATS {
        let start = Instant::now();
        black_box((0..CALLS).map(|_| ours(context, &state, None)).sum::<u64>());
        best = start.elapsed().min(best);
    }
    println!("balanceOf-like calls: {:.0} k/s", CALLS as f64 / best.as_secs_f64() / 1e3);
}
