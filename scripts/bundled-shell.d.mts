import type { Plugin } from 'esbuild'

export declare const bundledShell: Plugin
