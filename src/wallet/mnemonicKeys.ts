import { WalletError } from './errors.ts'

/** Sources of keys. */
export interface MnemonicKeys {
  /** English words of BIP-39. */
  readonly mnemonic: string
  /** BIP-32, to which the number of an account is added, e.g. `m/44'/60'/0'/0`. */
  readonly path: string
  /** Number of keys, from 0 up. */
  readonly count: number
}

/**
 * Private keys of the first accounts of a mnemonic, 32 bytes each (BIP-39 without a passphrase, BIP-32).
 * @throws WalletError `MNEMONIC` for words that are none
 */
export async function mnemonicKeys({ mnemonic, path, count }: MnemonicKeys): Promise<Buffer[]> {
  // Loaded when there is a mnemonic: most nodes have none.
  const [{ mnemonicToSeed, validateMnemonic }, { wordlist }, { HDKey }] = await Promise.all([
    import('@scure/bip39'),
    import('@scure/bip39/wordlists/english'),
    import('@scure/bip32'),
  ])
  const words = mnemonic.trim().split(/\s+/).join(' ')
  if (!validateMnemonic(words, wordlist)) {
    throw new WalletError(
      'MNEMONIC',
      'the mnemonic is not 12 to 24 English words with a valid checksum (BIP-39)',
    )
  }
  const parent = HDKey.fromMasterSeed(await mnemonicToSeed(words)).derive(path)
  return Array.from({ length: count }, (_, index) => Buffer.from(parent.deriveChild(index).privateKey ?? []))
}
