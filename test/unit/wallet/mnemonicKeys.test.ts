import { HDNodeWallet, Mnemonic } from 'ethers'
import t from 'tap'
import { mnemonicKeys } from '../../../src/wallet/mnemonicKeys.ts'

/** Keys as another library derives them. */
function keysOf(words: string, path: string, count: number): string[] {
  const parent = HDNodeWallet.fromPhrase(words, '', path)
  return Array.from({ length: count }, (_, index) => parent.deriveChild(index).privateKey.slice(2))
}

/** Words for entropy of so many bytes, different for each seed. */
function wordsOf(bytes: number, seed: number): string {
  return Mnemonic.fromEntropy(
    Uint8Array.from({ length: bytes }, (_, index) => (index * 97 + seed * 31) % 256),
  ).phrase
}

t.test('keys are those of another library, for every number of words and kind of path', async (t) => {
  const paths = ["m/44'/60'/0'/0", "m/44'/137'/0'/0", 'm', "m/2147483647'/1/2147483647"]
  for (const [seed, bytes] of [16, 20, 24, 28, 32].entries()) {
    const mnemonic = wordsOf(bytes, seed)
    const path = paths[seed % paths.length] as string
    const keys = await mnemonicKeys({ mnemonic, path, count: 4 })
    t.same(
      keys.map((key) => key.toString('hex')),
      keysOf(mnemonic, path, 4),
      `${mnemonic.split(' ').length} words, ${path}`,
    )
  }
})

t.test('blanks around words do not count', async (t) => {
  const words = wordsOf(16, 9)
  const [key] = await mnemonicKeys({ mnemonic: `  ${words.replaceAll(' ', '\n ')} `, path: 'm/0', count: 1 })
  t.same([key?.toString('hex')], keysOf(words, 'm/0', 1))
})

t.test('what is no mnemonic is refused', async (t) => {
  const words = wordsOf(16, 3).split(' ')
  const wrong: [mnemonic: string, message: RegExp][] = [
    [words.slice(1).join(' '), /12, 15, 18, 21 or 24 words .* not 11$/],
    [[...words.slice(1), 'rhizome'].join(' '), /^word 12 of the mnemonic is none/],
    // Of the right words in another order one in sixteen has its checksum.
    [[...words.slice(0, 11), words[11] === 'zoo' ? 'zone' : 'zoo'].join(' '), /checksum .* another word/],
    ['', /not 1$/],
  ]
  for (const [mnemonic, message] of wrong) {
    const refused = { code: 'MNEMONIC', message }
    await t.rejects(mnemonicKeys({ mnemonic, path: 'm/0', count: 1 }), refused, mnemonic)
  }
  await t.rejects(mnemonicKeys({ mnemonic: words.join(' '), path: 'm/2147483648', count: 1 }), {
    code: 'DERIVATION_PATH',
    message: /^2147483648 is too large, at most 2147483647/,
  })
})
