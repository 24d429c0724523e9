export declare function neededGlibc(bytes: Buffer): string | null
export declare function neededGlibcWithoutC23Names(bytes: Buffer): string | null
export declare function withoutC23Names(bytes: Buffer): Buffer
export declare function compareGlibc(first: string, second: string): number
