type Exactly<One, Other> = (<T>() => T extends One ? 1 : 2) extends <T>() => T extends Other ? 1 : 2 ? true : false;

/** `true` where both are the same type, neither wider nor narrower. */
export type Same<One, Other> = Exactly<One, Other>;
