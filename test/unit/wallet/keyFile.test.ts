import { randomBytes, randomUUID } from 'node:crypto'
import { decryptKeystoreJson, encryptKeystoreJson, getAddress, Wallet } from 'ethers'
import t from 'tap'
import { addressOfPrivateKey } from '../../../src/native/crypto.ts'
import { WalletError } from '../../../src/wallet/errors.ts'
import { decryptKey, encryptKey } from '../../../src/wallet/secretStorage/cipher.ts'
import { formatKeyFile, parseKeyFile } from '../../../src/wallet/secretStorage/web3KeyFile.ts'
import { KEY_FILE_VECTORS } from './fixtures/keyFiles.ts'

const LIGHT = { n: 1024, r: 8, p: 1 }

/** The code and message of a refusal. */
async function refusal(action: () => unknown): Promise<string> {
  try {
    await action()
  } catch (error) {
    if (error instanceof WalletError) return `${error.code} ${error.message}`
    throw error
  }
  return 'none'
}

for (const { name, passphrase, privateKey, text } of KEY_FILE_VECTORS) {
  t.test(`published key file: ${name}`, async (t) => {
    const key = await decryptKey(parseKeyFile(text), passphrase)
    t.equal(key.toString('hex'), privateKey.padStart(64, '0'))
    t.match(await refusal(() => decryptKey(parseKeyFile(text), `${passphrase} `)), /^WRONG_PASSPHRASE/)
  })
}

t.test('ethers opens what is written', async (t) => {
  for (const passphrase of ['', 'correct horse', 'pâsswörd 🔑']) {
    const privateKey = randomBytes(32)
    const text = formatKeyFile(await encryptKey(privateKey, passphrase, LIGHT), randomUUID())
    const opened = await decryptKeystoreJson(text, passphrase)
    t.equal(opened.privateKey, `0x${privateKey.toString('hex')}`)
    t.equal(opened.address, getAddress(`0x${addressOfPrivateKey(privateKey).toString('hex')}`))
  }
})

t.test('what ethers writes is opened', async (t) => {
  // The last one is encrypted in another Unicode form than it is written in.
  for (const passphrase of ['', 'correct horse', 'pâsswörd 🔑', 'ﬁne ①']) {
    const { address, privateKey } = Wallet.createRandom()
    const text = await encryptKeystoreJson({ address, privateKey }, passphrase, {
      scrypt: { N: LIGHT.n, r: LIGHT.r, p: LIGHT.p },
    })
    const file = parseKeyFile(text)
    t.equal(`0x${file.address?.toString('hex')}`, address.toLowerCase())
    t.equal(`0x${(await decryptKey(file, passphrase)).toString('hex')}`, privateKey)
  }
})

t.test('a written file has the members of geth and says nothing of the key', async (t) => {
  const privateKey = randomBytes(32)
  const text = formatKeyFile(await encryptKey(privateKey, 'p', LIGHT), randomUUID())
  const file = JSON.parse(text)
  t.same(Object.keys(file).sort(), ['address', 'crypto', 'id', 'version'])
  t.same(Object.keys(file.crypto).sort(), ['cipher', 'cipherparams', 'ciphertext', 'kdf', 'kdfparams', 'mac'])
  t.same(Object.keys(file.crypto.kdfparams).sort(), ['dklen', 'n', 'p', 'r', 'salt'])
  t.notOk(text.includes(privateKey.toString('hex')))
  const again = formatKeyFile(await encryptKey(privateKey, 'p', LIGHT), randomUUID())
  t.not(JSON.parse(again).crypto.ciphertext, file.crypto.ciphertext, 'salt and counter are new each time')
})

t.test('a file whose key belongs to another address is refused', async (t) => {
  const file = { ...(await encryptKey(randomBytes(32), 'p', LIGHT)), address: randomBytes(20) }
  t.match(await refusal(() => decryptKey(file, 'p')), /^KEY_FILE.*another address/)
})

t.test('a changed ciphertext is refused before it is decrypted', async (t) => {
  const file = await encryptKey(randomBytes(32), 'p', LIGHT)
  file.ciphertext[0] = (file.ciphertext[0] ?? 0) ^ 1
  t.match(await refusal(() => decryptKey(file, 'p')), /^WRONG_PASSPHRASE/)
})

t.test('parameters that ask for too much are refused at once', async (t) => {
  const salt = Buffer.alloc(32)
  const file = await encryptKey(randomBytes(32), 'p', LIGHT)
  const scrypt = (n: number, r: number, p: number) => ({
    ...file,
    kdf: { kdf: 'scrypt', n, r, p, dklen: 32, salt } as const,
  })
  t.match(
    await refusal(() => decryptKey(scrypt(2 ** 21, 8, 1), 'p')),
    /^KEY_FILE.*2147483648 bytes of memory/,
  )
  t.match(await refusal(() => decryptKey(scrypt(2 ** 18, 8, 16), 'p')), /^KEY_FILE.*33554432 blocks of work/)
  t.match(await refusal(() => decryptKey(scrypt(2, 16, 2 ** 20), 'p')), /^KEY_FILE.*bytes of memory/)
  const rounds = { ...file, kdf: { kdf: 'pbkdf2', c: 2 ** 25, dklen: 32, salt } as const }
  t.match(await refusal(() => decryptKey(rounds, 'p')), /^KEY_FILE.*33554432 rounds/)
})

t.test('files that are no key files are refused with what does not fit', async (t) => {
  const good = KEY_FILE_VECTORS[0]?.text ?? ''
  const changed = (change: (file: Record<string, Record<string, unknown>>) => void) => {
    const file = JSON.parse(good)
    change(file)
    return refusal(() => parseKeyFile(JSON.stringify(file)))
  }
  t.equal(await changed(() => undefined), 'none')
  t.match(await refusal(() => parseKeyFile('{')), /^KEY_FILE.*no JSON/)
  t.match(await refusal(() => parseKeyFile('[]')), /^KEY_FILE.*object/)
  t.match(await refusal(() => parseKeyFile('{"version":1}')), /^KEY_FILE.*version 3 expected, got 1/)
  t.match(
    await changed(({ crypto }) => Object.assign(crypto ?? {}, { cipher: 'aes-256-ctr' })),
    /aes-128-ctr/,
  )
  t.match(await changed(({ crypto }) => Object.assign(crypto ?? {}, { mac: '00' })), /mac of 32 bytes/)
  t.match(await changed(({ crypto }) => Object.assign(crypto ?? {}, { ciphertext: 'zz' })), /must be hex/)
  t.match(await changed(({ crypto }) => Object.assign(crypto ?? {}, { ciphertext: '00'.repeat(33) })), /33/)
  t.match(await changed(({ crypto }) => Object.assign(crypto ?? {}, { kdf: 'argon2' })), /scrypt or pbkdf2/)
  const withParams = (params: Record<string, unknown>) =>
    changed(({ crypto }) => Object.assign(crypto?.['kdfparams'] ?? {}, params))
  t.match(await withParams({ n: 3 }), /power of two/)
  t.match(await withParams({ n: 1 }), /n from 2/)
  t.match(await withParams({ r: 0 }), /r from 1/)
  t.match(await withParams({ p: 1.5 }), /p from 1/)
  t.match(await withParams({ dklen: 16 }), /dklen from 32/)
  t.match(await withParams({ salt: 5 }), /salt must be hex/)
})
