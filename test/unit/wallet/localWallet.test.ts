import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { networkByName } from '../../../src/config/networks/byName.ts'
import { addressOfPrivateKey, keccak256 } from '../../../src/native/crypto.ts'
import type { LocalWallet } from '../../../src/wallet/localWallet.ts'
import { openConfiguredWallet } from '../../../src/wallet/openWallet.ts'
import { privateKeyOfSeed } from '../../../src/wallet/privateKey.ts'
import { openTestWallet } from '../../support/walletContext.ts'

const KEY = Buffer.from('ba8a79b5da8e31f5ee67145f25f69048d00ca9456f819a2615ebd049db89295e', 'hex')
const ADDRESS = addressOfPrivateKey(KEY)
const HALF_HOUR = 30 * 60 * 1000
const HASH = keccak256(Buffer.from('anything'))

t.test('development accounts are unlocked from the start and stay', async (t) => {
  const { wallet, advance } = await openTestWallet(t.teardown)
  const { accounts } = networkByName('regtest').genesis
  const seeded = wallet.addresses().slice(0, 10)
  t.same(
    seeded.map((address) => `0x${address.toString('hex')}`),
    accounts.slice(1).map(({ address }) => address),
    'those with money in the genesis block',
  )
  advance(1e12)
  for (const address of wallet.addresses()) t.ok(wallet.signer(address))
  t.equal(wallet.addresses().length, 10, 'those with money and no others')
  const miner = privateKeyOfSeed(networkByName('regtest').mining.coinbaseSeed ?? '')
  t.ok(wallet.signer(addressOfPrivateKey(miner)), 'rewards can be spent')
  await wallet.importKey(miner, 'p')
  t.equal(wallet.addresses().length, 11, 'its owner lists it')
})

t.test('an imported key stays unlocked for half an hour', async (t) => {
  const { wallet, advance } = await openTestWallet(t.teardown)
  t.same(await wallet.importKey(KEY, 'p'), ADDRESS)
  advance(HALF_HOUR)
  t.same(wallet.exportKey(ADDRESS), KEY)
  const signer = wallet.signer(ADDRESS)
  advance(1)
  t.equal(wallet.exportKey(ADDRESS), null)
  t.equal(wallet.signer(ADDRESS), null)
  t.throws(() => signer?.sign(HASH), { code: 'UNKNOWN_ACCOUNT' }, 'a signer from before is locked, too')
  t.equal(wallet.lock(ADDRESS), false)
  t.ok(
    wallet.addresses().some((address) => address.equals(ADDRESS)),
    'it is still listed',
  )
})

t.test('unlock: for a time, again for another, not with a wrong passphrase', async (t) => {
  const { wallet, advance } = await openTestWallet(t.teardown)
  await wallet.importKey(KEY, 'p')
  t.equal(wallet.lock(ADDRESS), true)
  t.equal(wallet.lock(ADDRESS), false)
  await t.rejects(wallet.unlock(ADDRESS, 'q', 1000), { code: 'WRONG_PASSPHRASE' })
  t.equal(wallet.exportKey(ADDRESS), null)
  t.equal(await wallet.unlock(ADDRESS, 'p', 1000), true)
  advance(999)
  t.same(wallet.exportKey(ADDRESS), KEY)
  t.equal(await wallet.unlock(ADDRESS, 'p', 5), true, 'a shorter time replaces a longer one')
  advance(6)
  t.equal(wallet.exportKey(ADDRESS), null)
  t.equal(await wallet.unlock(Buffer.alloc(20, 9), 'p', 1000), false)
})

t.test('the timer forgets a key that nobody asks for', async (t) => {
  const { wallet, advance } = await openTestWallet(t.teardown)
  await wallet.importKey(KEY, 'p')
  t.ok(await wallet.unlock(ADDRESS, 'p', 20))
  advance(10_000)
  await new Promise((resolve) => setTimeout(resolve, 60))
  advance(-10_000)
  t.equal(wallet.exportKey(ADDRESS), null, 'it went when the time came, not when it was asked for')
})

t.test('a copy of a key is not wiped with it', async (t) => {
  const { wallet } = await openTestWallet(t.teardown)
  await wallet.importKey(KEY, 'p')
  const copy = wallet.exportKey(ADDRESS)
  wallet.lock(ADDRESS)
  t.same(copy, KEY)
})

t.test('stored accounts are there after a restart, seeds are not written', async (t) => {
  const { wallet, dataDir } = await openTestWallet(t.teardown)
  const created = await wallet.create('p')
  wallet.addSeed('a seed')
  const { wallet: reopened } = await openTestWallet(t.teardown, dataDir)
  t.equal(reopened.addresses().length, 11)
  t.equal(reopened.signer(created), null)
  t.ok(await reopened.unlock(created, 'p', 1000))
  const files = readdirSync(join(dataDir, 'keystore'))
  t.equal(files.length, 1)
  const text = readFileSync(join(dataDir, 'keystore', files[0] ?? ''), 'utf8')
  t.notOk(text.includes(reopened.exportKey(created)?.toString('hex') ?? text))
})

t.test('one transaction with the passphrase leaves the account locked', async (t) => {
  const { wallet } = await openTestWallet(t.teardown)
  await wallet.importKey(KEY, 'p')
  wallet.lock(ADDRESS)
  const signature = await wallet.withPassphrase(ADDRESS, 'p', async (signer) => signer.sign(HASH))
  t.equal(signature.r.length, 32)
  t.equal(wallet.signer(ADDRESS), null)
  await t.rejects(
    wallet.withPassphrase(Buffer.alloc(20), 'p', async () => 1),
    { code: 'UNKNOWN_ACCOUNT' },
  )
  await t.rejects(
    wallet.withPassphrase(ADDRESS, 'q', async () => 1),
    { code: 'WRONG_PASSPHRASE' },
  )
})

t.test('what is no private key is refused', async (t) => {
  const { wallet } = await openTestWallet(t.teardown)
  const order = Buffer.from('fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141', 'hex')
  for (const key of [Buffer.alloc(0), Buffer.alloc(32), order, Buffer.alloc(33, 1), Buffer.alloc(32, 0xff)]) {
    await t.rejects(wallet.importKey(key, 'p'), { code: 'INVALID_KEY' })
  }
  const highest = Buffer.from(order)
  highest[31] = 0x40
  t.ok(await wallet.importKey(highest, 'p'))
})

t.test('passphrases beyond the queue are refused, those in it are answered', async (t) => {
  const { wallet } = await openTestWallet(t.teardown)
  const results = await Promise.allSettled(Array.from({ length: 30 }, () => wallet.create('p')))
  const refused = results.filter(({ status }) => status === 'rejected')
  t.equal(refused.length, 13)
  for (const result of refused) t.equal((result as PromiseRejectedResult).reason.code, 'BUSY')
  t.ok(await wallet.create('p'), 'afterwards there is room again')
})

t.test('actions of one account run one after another, those of others beside them', async (t) => {
  const { wallet } = await openTestWallet(t.teardown)
  const order: string[] = []
  const action = (name: string, milliseconds: number) => async () => {
    order.push(`${name} begins`)
    await new Promise((resolve) => setTimeout(resolve, milliseconds))
    order.push(`${name} ends`)
    if (name === 'first') throw new Error('it failed')
  }
  const other = Buffer.alloc(20, 1)
  await Promise.allSettled([
    wallet.serialized(ADDRESS, action('first', 20)),
    wallet.serialized(ADDRESS, action('second', 0)),
    wallet.serialized(other, action('other', 0)),
  ])
  t.same(order, ['first begins', 'other begins', 'other ends', 'first ends', 'second begins', 'second ends'])
})

t.test('a hosted endpoint and a switched-off wallet hold no keys', async (t) => {
  const { dataDir } = await openTestWallet(t.teardown)
  const open = (profile: 'dev' | 'hosted', wallet: boolean): Promise<LocalWallet | null> =>
    openConfiguredWallet({ profile, wallet, network: 'regtest', dataDir }, () => undefined)
  t.equal(await open('hosted', true), null)
  t.equal(await open('dev', false), null)
  t.ok(await open('dev', true))
})
