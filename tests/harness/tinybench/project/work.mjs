export const work = 1000;
