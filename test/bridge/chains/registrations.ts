import type { BitcoinBlock } from '../../../src/rehearsal/bitcoin/bitcoinChain.ts'
import type { TestAccount } from '../../support/signedTransaction.ts'
import type { Outcome } from './driver.ts'
import { merkleBranch } from './proofs.ts'
import { activeMember, below, bytes, oneOf, type World } from './world.ts'

/** Confirmations that the Bridge wants on regtest. */
const CONFIRMATIONS = 3

interface Registration {
  readonly id: string
  readonly label: string
  /** What to do when it was registered as a peg-in. */
  readonly done: (outcome: Outcome) => void
  /** In place of the registration as a peg-in. */
  readonly register: Register | null
}

/** Registers a mined transaction in a way of its own. */
export type Register = (world: World, id: string) => Promise<void>

const scheduled = new WeakMap<World, Registration[]>()

/** Has a transaction registered once it is deep enough in Bitcoin. */
export function schedule(
  world: World,
  id: string,
  label: string,
  done: (outcome: Outcome) => void = () => undefined,
  register: Register | null = null,
): void {
  const list = scheduled.get(world) ?? []
  list.push({ id, label, done, register })
  scheduled.set(world, list)
}

/** Registers what is deep enough by now. */
export async function registerScheduled(world: World): Promise<void> {
  const list = scheduled.get(world) ?? []
  const left: Registration[] = []
  for (const each of list) {
    const height = heightOf(world, each.id)
    if (height === null || world.fedHeight - height + 1 < CONFIRMATIONS) left.push(each)
    else if (each.register !== null) await each.register(world, each.id)
    else await registerPegin(world, each)
  }
  scheduled.set(world, left)
}

function heightOf({ bitcoin }: World, id: string): number | null {
  try {
    return bitcoin.find(id).block.height
  } catch {
    return null
  }
}

/** Who may register transactions under the rules of the next block. */
async function registrar(world: World): Promise<TestAccount> {
  if (world.driver.on('rskip199')) return world.driver.account(`user${below(world, 10)}`)
  return activeMember(world)
}

/** Registers the coinbase of a block where transactions with witnesses need it. */
export async function registerCoinbase(world: World, block: BitcoinBlock): Promise<void> {
  if (!world.driver.on('rskip143')) return
  const proof = world.bitcoin.coinbaseProof(block)
  const args = [proof.transaction, proof.blockHash, proof.proof, proof.witnessRoot, proof.reservedValue]
  await world.driver.call(await registrar(world), 'registerBtcCoinbaseTransaction', args)
}

async function registerPegin(world: World, { id, label, done }: Registration): Promise<void> {
  const { transaction, block, proof } = world.bitcoin.find(id)
  const from = await registrar(world)
  const raw = Buffer.from(transaction.toBuffer())
  if (transaction.hasWitnesses() && world.random() < 0.95) await registerCoinbase(world, block)
  const register = (height: number, tree: Buffer, name: string, to = 'CALL', then?: typeof done) =>
    world.driver.call(from, 'registerBtcTransaction', [raw, height, tree], {
      label: name,
      gasLimit: 500_000,
      ...(then ? { done: then } : {}),
      ...(to === 'CALL' ? {} : { to: world.proxies.CALL }),
    })
  if (world.random() < 0.05) await register(block.height + 1, proof, 'registerBtcTransaction (odd)')
  if (world.random() < 0.05) await register(block.height, proof.subarray(1), 'registerBtcTransaction (odd)')
  const throughContract = world.driver.on('rskip199') && world.random() < 0.1
  await register(
    block.height,
    proof,
    throughContract ? `${label} by contract` : label,
    throughContract ? 'contract' : 'CALL',
    done,
  )
  world.counts.peginsRegistered += 1
  if (world.random() < 0.1) await register(block.height, proof, 'registerBtcTransaction (again)')
  if (world.driver.on('rskip122') && world.random() < 0.2) await askConfirmations(world, id)
}

async function askConfirmations(world: World, id: string): Promise<void> {
  const { transaction, block } = world.bitcoin.find(id)
  const index = block.transactions.indexOf(transaction)
  const { branch, path } = merkleBranch(block, index)
  const hash = Buffer.from(id, 'hex')
  const odd = world.random() < 0.3
  const args = [odd ? bytes(world, 32) : hash, Buffer.from(block.hash, 'hex'), path, branch]
  const to = world.random() < 0.5 ? {} : { to: oneOf(world, [world.proxies.CALL, world.proxies.STATICCALL]) }
  await world.driver.call(world.driver.account('stranger'), 'getBtcTransactionConfirmations', args, to)
}
