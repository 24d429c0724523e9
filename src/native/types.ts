import type * as Addon from '../../native/addon/index.d.ts'

// Shapes that cross into the native core, as the addon declares them.

export type AccountFields = Addon.AccountFields
export type AccountWrite = Addon.AccountWrite
export type AncestorMetadata = Addon.AncestorMetadata
export type AncestorUncle = Addon.AncestorUncle
export type BlockEnvironment = Addon.BlockEnvironment
export type BlockToTrace = Addon.BlockToTrace
export type CallInput = Addon.CallInput
export type CallOverride = Addon.CallOverride
export type CallResult = Addon.CallResult
export type CallTrace = Addon.CallTrace
export type NativeChunkReport = Addon.ChunkReport
export type ForkAccount = Addon.ForkAccount
export type ForkOptions = Addon.ForkOptions
export type ForkStats = Addon.ForkStats
export type ForkWanted = Addon.ForkWanted
export type ExecutableTransaction = Addon.ExecutableTransaction
export type HeadProgress = Addon.HeadProgress
export type LineReport = Addon.LineReport
export type MiningFields = Addon.MiningFields
export type OlderProgress = Addon.OlderProgress
export type OlderReport = Addon.OlderReport
export type PackedChunk = Addon.PackedChunk
export type PieceReport = Addon.PieceReport
export type PrecompileCall = Addon.PrecompileCall
export type ProofOfWork = Addon.ProofOfWork
export type StateChunk = Addon.StateChunk
export type StoreOptions = Addon.StoreOptions
export type TraceOptions = Addon.TraceOptions
export type TransactionResult = Addon.TransactionResult
export type TransactionTrace = Addon.TransactionTrace
