import { encodeCall, METHOD_NAMES, typesOf } from './methods.ts'
import { below, bytes, type CallKind, oneOf, type World } from './world.ts'

const SENDERS = ['stranger', 'user1', 'user2', 'federator1', 'auth-d']

/** A call of any method with odd arguments, by anybody, directly or through a contract. */
export async function junk(world: World): Promise<void> {
  const { driver } = world
  const method = oneOf(world, METHOD_NAMES)
  const args = typesOf(method).inputs.map((type) => value(world, type))
  let data = encodeCall(method, args)
  const odd = world.random()
  if (odd < 0.05) data = data.subarray(0, below(world, data.length))
  else if (odd < 0.1 && data.length > 4) {
    data = Buffer.from(data)
    const at = 4 + below(world, data.length - 4)
    data[at] = below(world, 256)
  }
  // Between RSKIP91 and RSKIP103 STATICCALL takes one word more than the contract has (evm.md §1).
  const kinds: CallKind[] = ['CALL', 'DELEGATECALL', 'CALLCODE']
  if (driver.on('rskip103')) kinds.push('STATICCALL')
  // Before RSKIP88 a contract that calls the Bridge makes a block invalid (bridge.md §1.1).
  const byContract = driver.on('rskip88') && world.random() < 0.4 ? oneOf(world, kinds) : null
  const gas =
    method === 'getStateForDebugging' && world.random() < 0.3 ? 3_400_000 : 60_000 + below(world, 200_000)
  await driver.send({
    from: driver.account(oneOf(world, SENDERS)),
    to:
      byContract === null
        ? Buffer.from('0000000000000000000000000000000001000006', 'hex')
        : world.proxies[byContract],
    data,
    // Less than the intrinsic price is refused by the pool.
    gasLimit: gas + 68 * data.length,
    value: world.random() < 0.05 ? BigInt(below(world, 1e9)) : 0n,
    label: `junk ${method}${byContract === null ? '' : ` by ${byContract}`}`,
  })
}

function value(world: World, type: string): unknown {
  if (type.endsWith('[]')) {
    return Array.from({ length: below(world, 4) }, () => value(world, type.slice(0, -2)))
  }
  switch (type) {
    case 'bytes':
      return someBytes(world)
    case 'bytes32':
      return world.random() < 0.5 ? bytes(world, 32) : Buffer.from(someBlock(world).hash, 'hex')
    case 'string':
      return oneOf(world, [
        '',
        'btc',
        'rsk',
        'mst',
        'x',
        someBlock(world).hash,
        someId(world),
        '2NB',
        'n3PLxDiwWqa5uH7fSbHCxS6VAjD9Y7Rwkj',
      ])
    case 'bool':
      return world.random() < 0.5
    case 'address':
      return `0x${bytes(world, 20).toString('hex')}`
    case 'uint256':
      return (
        BigInt(oneOf(world, [0, 1, 2, world.fedHeight, world.fedHeight - 2, 1e6, 4e9])) +
        (world.random() < 0.1 ? 1n << 255n : 0n)
      )
    default:
      return (
        BigInt(oneOf(world, [0, 1, 2, -1, world.fedHeight, world.fedHeight - 3, 1e6, -4e9])) +
        (world.random() < 0.1 ? 1n << 200n : 0n)
      )
  }
}

function someBlock({ bitcoin, random }: World) {
  const blocks = bitcoin.blocksFrom(1)
  const block = blocks[Math.floor(random() * blocks.length)]
  if (block === undefined) throw new RangeError('Bitcoin has no block')
  return block
}

function someId(world: World): string {
  return oneOf(world, someBlock(world).transactions).getId()
}

function someBytes(world: World): Buffer {
  const block = someBlock(world)
  const transaction = oneOf(world, block.transactions)
  const whole = oneOf(world, [
    Buffer.alloc(0),
    bytes(world, below(world, 100)),
    block.header,
    Buffer.from(transaction.toBuffer()),
    world.bitcoin.find(transaction.getId()).proof,
    bytes(world, 33),
    bytes(world, 21),
    bytes(world, 128),
  ])
  if (world.random() < 0.7 || whole.length === 0) return whole
  const changed = Buffer.from(whole)
  changed[below(world, changed.length)] = below(world, 256)
  return changed
}
