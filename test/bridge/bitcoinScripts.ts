import type { Transaction } from 'bitcoinjs-lib'
import bitcore from 'bitcore-lib'
import type { BitcoinChain } from '../../src/rehearsal/bitcoin/bitcoinChain.ts'
import { outPointOf } from '../../src/rehearsal/bitcoin/transactions.ts'

const { Interpreter } = bitcore.Script

/**
 * What Bitcoin's consensus asks for, and what its nodes ask for before they pass a transaction on; all but a clean stack
 * behind scripts without witness, which bitcore looks for at the wrong place.
 */
const FLAGS =
  Interpreter.SCRIPT_VERIFY_P2SH |
  Interpreter.SCRIPT_VERIFY_STRICTENC |
  Interpreter.SCRIPT_VERIFY_DERSIG |
  Interpreter.SCRIPT_VERIFY_LOW_S |
  Interpreter.SCRIPT_VERIFY_NULLDUMMY |
  Interpreter.SCRIPT_VERIFY_MINIMALDATA |
  Interpreter.SCRIPT_VERIFY_CHECKLOCKTIMEVERIFY |
  Interpreter.SCRIPT_VERIFY_CHECKSEQUENCEVERIFY |
  Interpreter.SCRIPT_VERIFY_WITNESS |
  Interpreter.SCRIPT_VERIFY_MINIMALIF |
  Interpreter.SCRIPT_VERIFY_NULLFAIL |
  Interpreter.SCRIPT_VERIFY_WITNESS_PUBKEYTYPE

/**
 * What bitcore, an implementation of Bitcoin that this project has no part in, finds wrong with a transaction: nothing
 * when it may be mined.
 * @param chain has the outputs that it spends
 */
export function faultsOf(chain: BitcoinChain, transaction: Transaction): string[] {
  const parsed = new bitcore.Transaction(transaction.toHex())
  if (parsed.id !== transaction.getId()) return [`its id is ${parsed.id}`]
  const structure = parsed.verify()
  if (structure !== true) return [structure]
  return parsed.inputs.flatMap((input, index) => {
    const spent = transaction.ins[index]
    if (spent === undefined) return [`input ${index} is not there`]
    const { script, value } = chain.spent(outPointOf(spent))
    const interpreter = new Interpreter()
    const isValid = interpreter.verify(
      input.script,
      new bitcore.Script(script),
      parsed,
      index,
      FLAGS,
      input.getWitnesses() ?? [],
      Number(value),
    )
    return isValid ? [] : [`input ${index}: ${interpreter.errstr}`]
  })
}
