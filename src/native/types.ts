/** Shapes that cross into the native core, as the addon declares them. */
export type {
  AccountFields,
  AccountProof,
  AccountWrite,
  AncestorFacts,
  AncestorUncle,
  BlockEnvironment,
  ExecutableTransaction,
  MiningFields,
  PrecompileCall,
  StoreOptions,
  TransactionResult,
} from '../../native/addon/index.d.ts'
