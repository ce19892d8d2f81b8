// How long an environment may take for all that it runs; a program that runs more there sets it higher.
export const patience = { ms: 120_000 }
