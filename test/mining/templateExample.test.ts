import { readFileSync } from 'node:fs'
import { Block, Transaction } from 'bitcoinjs-lib'
import t from 'tap'
import { timeOfSeedHash } from '../../src/mining/seedHash.ts'
import { solveTemplate } from '../../src/native/mergedMining.ts'
import { NonceSearch } from '../../src/native/nonceSearch.ts'

const README = readFileSync(new URL('../../src/mining/README.md', import.meta.url), 'utf8')

/** A row of the example, without `0x`. */
function shown(name: string): string {
  const example = README.slice(README.indexOf('### Example'))
  const value = new RegExp(`^\\| ${name} \\| \`(?:0x)?([0-9a-f]+)\``, 'm').exec(example)?.[1]
  if (value === undefined) throw new Error(`the example has no ${name}`)
  return value
}

const bytes = (name: string) => Buffer.from(shown(name), 'hex')

t.test('the worked example of eth_getWork is right, as Bitcoin software reads it', (t) => {
  const coinbase = Transaction.fromHex(shown('coinbase'))
  t.equal(bytes('coinbase').length, 142)
  t.ok(coinbase.isCoinbase())
  t.same(coinbase.ins[0]?.script, Buffer.concat([Buffer.from([4]), bytes('nonce').subarray(0, 4)]))
  const tagged = Buffer.concat([Buffer.from('6a29', 'hex'), Buffer.from('RSKBLOCK:'), bytes('hash')])
  t.same(coinbase.outs.at(-1)?.script, tagged)
  const header = Block.fromHex(shown('header'))
  t.same(header.merkleRoot, coinbase.getHash())
  t.same(header.merkleRoot, bytes('Merkle root'))
  t.equal(header.timestamp, timeOfSeedHash(bytes('seed')))
  t.same(bytes('header').subarray(76), bytes('nonce').subarray(4))
  t.ok(BigInt(`0x${header.getId()}`) <= BigInt(`0x${shown('target')}`))
  t.end()
})

t.test('it is what the miner finds and the node makes of it', async (t) => {
  const time = timeOfSeedHash(bytes('seed'))
  t.same(await new NonceSearch(bytes('hash'), bytes('target'), time).run(1), bytes('nonce'))
  t.same(solveTemplate(bytes('hash'), time, bytes('nonce')).bitcoinHeader, bytes('header'))
})
