import { DownloadWindow, type Slot } from '../client/downloadWindow.ts'

/** A window whose headers were added from the top down: the highest block is needed first. */
export class DescendingWindow extends DownloadWindow {
  /** The highest run of blocks that are wanted, ascending, as peers give blocks. */
  override nextRun(most: number, suits: (slot: Slot) => boolean, upTo?: number): Slot[] {
    return super.nextRun(most, suits, upTo).reverse()
  }
}
