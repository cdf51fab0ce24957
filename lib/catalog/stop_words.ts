/** Words that say nothing about which tool is meant. */
export const STOP_WORDS: ReadonlySet<string> = new Set(
  ("a about above again all already also am an and another any anything are arent as at be because been being both but by " +
    "can cant could did do does doesnt dont each either else etc every everything for from give had has have how i " +
    "if ill im in instead into is isnt it its itself ive just let lets like may me might must my need no nor not " +
    "of off on only onto or other our out own per please really same should so some somebody someone something " +
    "such tell than that thats the their them then there these they thing things this those through to too us " +
    "until upon very via want was wasnt we were what whatever whats when where whether which while who whose will " +
    "with within without would yet you your").split(" "),
);
