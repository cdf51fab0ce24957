// Check that the demo server answers: it echoes a word and adds two numbers.
// @param word:string = "hello"   what is echoed
// @param a:number = 2            the first number
// @param b:number = 40           the second number

const [said, sum] = await Promise.all([
  everything.echo({ message: @word }),
  everything["get-sum"]({ a: @a, b: @b }),
]);
const echoes = String(said).includes(@word);
const adds = String(sum).includes(String(@a + @b));
if (!echoes || !adds) throw new Error(`the server answers wrongly: ${said}, ${sum}`);
return { echoes, adds };
