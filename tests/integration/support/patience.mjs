// How long a test waits for what must come, on a machine that may be busy with anything else. What comes sooner is not
// waited for any longer, so that only a test that fails takes so long.
export const patience = 60_000; // ms
