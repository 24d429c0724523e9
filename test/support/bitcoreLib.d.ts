declare module 'bitcore-lib' {
  class Script {
    constructor(bytes: Buffer)
  }
  namespace Script {
    /** Runs scripts as nodes of Bitcoin do. */
    class Interpreter {
      static readonly SCRIPT_VERIFY_P2SH: number
      static readonly SCRIPT_VERIFY_STRICTENC: number
      static readonly SCRIPT_VERIFY_DERSIG: number
      static readonly SCRIPT_VERIFY_LOW_S: number
      static readonly SCRIPT_VERIFY_NULLDUMMY: number
      static readonly SCRIPT_VERIFY_MINIMALDATA: number
      static readonly SCRIPT_VERIFY_CHECKLOCKTIMEVERIFY: number
      static readonly SCRIPT_VERIFY_CHECKSEQUENCEVERIFY: number
      static readonly SCRIPT_VERIFY_WITNESS: number
      static readonly SCRIPT_VERIFY_MINIMALIF: number
      static readonly SCRIPT_VERIFY_NULLFAIL: number
      static readonly SCRIPT_VERIFY_WITNESS_PUBKEYTYPE: number
      /** Why the last `verify` answered false. */
      readonly errstr: string
      verify(
        scriptSig: Script,
        scriptPubkey: Script,
        transaction: Transaction,
        input: number,
        flags: number,
        witness: readonly Buffer[],
        satoshis: number,
      ): boolean
    }
  }
  class Transaction {
    constructor(hex: string)
    readonly id: string
    readonly inputs: readonly {
      readonly script: Script
      /** Null where there is none. */
      getWitnesses(): readonly Buffer[] | null
    }[]
    /** True, or what is wrong. */
    verify(): true | string
  }
}
