import { type Abi, encodeFunctionData, getContractAddress } from 'viem'
import { readArtefact } from '../contracts/artefact.ts'
import { createRandom } from '../support/random.ts'
import { LISTENER, listening, looking, surroundings } from './probes.ts'

/** Sends a request to a node. */
export type Ask = <T = unknown>(method: string, params?: readonly unknown[]) => Promise<T>

/** A request to an address. @throws Error with the words of the answer */
export function asking(url: string): Ask {
  return async <T>(method: string, params: readonly unknown[] = []) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    const headers = { 'content-type': 'application/json' }
    const response = await fetch(url, { method: 'POST', headers, body })
    const { result, error } = (await response.json()) as { result: T; error?: { message: string } }
    if (error !== undefined) throw new Error(`${method}: ${error.message}`)
    return result
  }
}

/** What a chain of every kind of transaction has. */
export interface UpstreamChain {
  readonly sender: string
  readonly token: string
  readonly compute: string
  readonly failures: string
  readonly spread: string
  readonly destroyer: string
  readonly factory: string
  readonly hashes: string
  readonly listener: string
}

const BRIDGE = '0x0000000000000000000000000000000001000006'
const PRECOMPILED = [
  1, 2, 3, 4, 5, 6, 7, 8, 9, 0x01000006, 0x01000008, 0x01000009, 0x01000010, 0x01000011,
].map((address) => `0x${address.toString(16).padStart(40, '0')}`)
const SENDERS = [
  '0xcd2a3d9f938e13cd947ec05abc7fe734df8dd826',
  '0x7986b3df570230288501eea3d890bd66948c9b79',
] as const

/** Stores 1 at 0; called without data it destroys itself, else it stores the second word at the first. */
const DESTROYER_RUNTIME = '3660065733ff5b6020356000355500'
/** Code that makes a contract which writes and destroys itself. */
export const DESTROYER = `0x60016000556e${DESTROYER_RUNTIME}600052600f6011f3`
/** Creates by CREATE2 what it is sent, with the salt 0. */
const FACTORY_RUNTIME = '366000600037600036600060 00f560005260206000f3'.replaceAll(' ', '')
/** Stores the hash of the block so many below it at 0. */
const HASHES_RUNTIME = '60003543034060005500'

/** Code that returns a program of up to 32 bytes. */
function deploying(runtime: string): string {
  const length = runtime.length / 2
  const push = (0x5f + length).toString(16)
  return `0x${push}${runtime}60005260${hex(length)}60${hex(32 - length)}f3`
}

const hex = (value: number) => value.toString(16).padStart(2, '0')
const word = (value: number | bigint) => value.toString(16).padStart(64, '0')

/**
 * Has a node make a chain with contracts, failures, accounts that are destroyed and made again, calls of the Bridge,
 * uncles and rewards.
 * @param blocks how many blocks at least
 * @param seed of what they hold
 */
export async function makeUpstreamChain(ask: Ask, blocks: number, seed: number): Promise<UpstreamChain> {
  const next = createRandom(seed)
  const random = {
    below: (bound: number) => Math.floor(next() * bound),
    hex: (digits: number) =>
      Array.from({ length: digits }, () => Math.floor(next() * 16).toString(16)).join(''),
  }
  const [sender, other] = SENDERS
  const gasPrice = '0x3b9aca00'
  const send = (transaction: object) =>
    ask<string>('eth_sendTransaction', [{ from: sender, gas: '0x200000', gasPrice, ...transaction }])
  const deploy = async (data: string) => {
    const receipt = await ask<{ contractAddress: string; status: string }>('eth_getTransactionReceipt', [
      await send({ data, gas: '0x300000' }),
    ])
    if (receipt.status !== '0x1') throw new Error('a contract of the chain could not be deployed')
    return receipt.contractAddress
  }
  const tokenOf = readArtefact('Token')
  const chain = {
    sender,
    token: await deploy(`${tokenOf.bytecode}${word(1_000_000n)}`),
    compute: await deploy(readArtefact('Compute').bytecode),
    failures: await deploy(readArtefact('Failures').bytecode),
    spread: await deploy(readArtefact('Spread').bytecode),
    factory: await deploy(deploying(FACTORY_RUNTIME)),
    hashes: await deploy(deploying(HASHES_RUNTIME)),
    listener: await deploy(LISTENER),
  }
  const destroyer = getContractAddress({
    opcode: 'CREATE2',
    from: chain.factory as `0x${string}`,
    salt: `0x${word(0)}`,
    bytecode: DESTROYER as `0x${string}`,
  }).toLowerCase()
  const call = (
    contract: 'Token' | 'Compute' | 'Failures' | 'Spread',
    functionName: string,
    args: unknown[] = [],
  ) => encodeFunctionData({ abi: readArtefact(contract).abi as Abi, functionName, args })
  const oneOf = (list: readonly string[]) => list[random.below(list.length)] ?? sender
  const stranger = () => `0x${random.hex(40)}`
  const kinds: (() => object)[] = [
    () => ({ to: stranger(), value: `0x${(random.below(1000) + 1).toString(16)}` }),
    () => ({ to: other, value: '0x1' }),
    () => ({ to: chain.token, data: call('Token', 'transfer', [stranger(), BigInt(random.below(50))]) }),
    () => ({ to: chain.token, data: call('Token', 'approve', [other, BigInt(random.below(50))]) }),
    () => ({
      to: chain.compute,
      data: call('Compute', 'store', [BigInt(random.below(20)), 3n, BigInt(random.below(2))]),
    }),
    () => ({ to: chain.compute, data: call('Compute', 'log', [BigInt(random.below(6))]) }),
    () => ({ to: chain.failures, data: call('Failures', 'withReason', ['no']) }),
    () => ({ to: chain.failures, data: call('Failures', 'invalidOpcode') }),
    () => ({ to: chain.spread, data: call('Spread', 'give', [[stranger(), stranger(), other]]) }),
    () => ({ to: chain.factory, data: DESTROYER }),
    () => ({ to: destroyer }),
    () => ({ to: destroyer, data: `0x${word(random.below(5))}${word(random.below(2))}` }),
    () => ({ to: chain.hashes, data: `0x${word(random.below(60))}` }),
    // updateCollections(), and a request to get bitcoin out.
    () => ({ to: BRIDGE, data: '0x0c5a9990' }),
    () => ({ to: BRIDGE, value: `0x${(10n ** 16n * BigInt(random.below(5) + 1)).toString(16)}` }),
    // Another contract's creation that fails for want of gas.
    () => ({ data: readArtefact('Compute').bytecode, gas: '0x20000' }),
    () => ({ to: chain.listener, data: listening(random) }),
    () => ({ to: chain.listener, data: listening(random) }),
    () => ({ to: chain.listener, data: listening(random) }),
    () => ({ data: looking(oneOf([stranger(), destroyer, chain.token, other, ...PRECOMPILED])) }),
    () => ({ data: surroundings(), value: `0x${random.hex(4)}` }),
    () => ({ to: oneOf(PRECOMPILED), data: `0x${random.hex(2 * random.below(100))}` }),
    // Without enough gas for what it does, and of another sender for no price.
    () => ({ to: chain.token, data: call('Token', 'transfer', [stranger(), 1n]), gas: '0x6000' }),
    () => ({ from: other, to: stranger(), gas: '0x5208', gasPrice: '0x0' }),
    () => ({ to: stranger(), value: '0x0' }),
  ]
  await ask('evm_setAutomine', [false])
  for (let made = 0; made < blocks; made += 1) {
    const count = random.below(5)
    for (let index = 0; index < count; index += 1) await send(kinds[random.below(kinds.length)]?.() ?? {})
    await ask('evm_mine')
    if (random.below(6) === 0) await makeUncle(ask)
  }
  await ask('evm_setAutomine', [true])
  return { ...chain, destroyer }
}

/** Replaces the newest block, and has the next one name it as an uncle. */
async function makeUncle(ask: Ask): Promise<void> {
  const replaced = await ask('debug_getRawBlock', ['latest'])
  await ask('anvil_rollback', [1])
  await ask('evm_increaseTime', [1])
  await ask('evm_mine')
  await ask('evm_importRawBlock', [replaced])
}
