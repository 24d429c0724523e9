import { DownloadWindow, type Slot } from '../client/downloadWindow.ts'

/** A window whose headers are added in descending order: the highest block is needed first. */
export class DescendingWindow extends DownloadWindow {
  /** The highest run of wanted blocks, in ascending order, as peers send them. */
  override nextRun(most: number, suits: (slot: Slot) => boolean, upTo?: number): Slot[] {
    return super.nextRun(most, suits, upTo).reverse()
  }
}
