import type { DayCost, Lives } from '../../storage/access/lifeUsage.ts'
import type { DayUsage } from '../../storage/access/usageRecord.ts'

/** Days that the bucket of counters keeps. */
export const BUCKET_DAYS = 8
/** Milliseconds between two times at which use is reported, unless the fleet thread says otherwise. */
export const MIN_PACE_MILLISECONDS = 100

/** The messages of the front thread, which counts, to the fleet thread. */
export type FromFront =
  /** Under which lives it counts, and whether that is decided. @see LifeUsage */
  | {
      readonly kind: 'lives'
      readonly lives: Lives
      /** A random number of this process. */
      readonly by: string
      readonly isDecided: boolean
    }
  /** Use of keys with a rate or a quota. */
  | { readonly kind: 'used'; readonly rows: readonly DayCost[] }
  /** Rows that are on disk. */
  | { readonly kind: 'written'; readonly slots: readonly Pick<DayUsage, 'id' | 'day'>[] }

/** The messages of the fleet thread to the front thread. */
export type ToFront =
  /** It has begun, and knows nothing. */
  | { readonly kind: 'begun' }
  /** Keys are others. */
  | { readonly kind: 'keys' }
  /** The use by others up to now. */
  | { readonly kind: 'received'; readonly rows: readonly DayCost[]; readonly isLate: boolean }
  /** Nothing is lost, and nobody else counts under the life of the store. */
  | { readonly kind: 'resume'; readonly rows: readonly DayUsage[]; readonly reported: readonly DayCost[] }
  /** That is not sure: this process goes on under a life of its own. */
  | { readonly kind: 'keep' }
  /** Another process counts under the own life. @see LifeUsage.leave */
  | { readonly kind: 'leave'; readonly known: readonly DayUsage[] }
  /** Milliseconds between two times at which use is reported. */
  | { readonly kind: 'pace'; readonly milliseconds: number }
